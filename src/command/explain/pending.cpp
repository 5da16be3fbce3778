#include "command/explain/pending.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "command/explain/segment_files.hpp"
#include "space/segment_head.hpp"
#include "transport/mailbox.hpp"

namespace armature::command {
namespace {

using transport::Ring;

/// The counters stand before the bytes, which are not copied.
constexpr std::size_t counters_bytes = sizeof(Ring) - Ring::capacity;

bool has_mail(const space::ControlHeader& header, const SegmentFiles& segments,
              std::uint64_t ring_address) {
  if (ring_address == 0) return false;
  const auto scratch = std::make_unique_for_overwrite<Ring>();
  return segments.read(header, ring_address, scratch.get(), counters_bytes) && !scratch->is_empty();
}

void add(Pending& pending, int peer, const space::PeerLine& line,
         const space::ControlHeader& header, const SegmentFiles& segments) {
  if (has_mail(header, segments, line.mailbox.load(std::memory_order_relaxed)))
    pending.messages.push_back(peer);
  if (line.notified.load(std::memory_order_relaxed) > line.consumed.load(std::memory_order_relaxed))
    pending.notifies.push_back(peer);
}

}  // namespace

// A rank has a line for every other, and most have to do with few. Pages of lines that nobody has
// touched are not in the file, and are passed over. All lines of all ranks are too many to read.
Pending read_pending(const space::ControlHeader& header, const SegmentFiles& segments, int rank) {
  Pending pending;
  const std::uint64_t segment =
      header.layout.segment_base + static_cast<std::uint64_t>(rank) * header.layout.segment_bytes;
  const auto lines = segments.find(header, segment + sizeof(space::SegmentHead),
                                   header.ranks * sizeof(space::PeerLine));
  if (!lines) return pending;
  constexpr std::size_t count_max = 64;  // a page of them
  std::array<space::PeerLine, count_max> some;
  const auto at = [&](std::uint64_t peer) {
    return static_cast<off_t>(lines->offset + peer * sizeof(space::PeerLine));
  };
  for (std::uint64_t peer = 0; peer < header.ranks;) {
    const off_t data = lseek(lines->file, at(peer), SEEK_DATA);
    if (data < 0 || data >= at(header.ranks)) break;
    peer = (static_cast<std::uint64_t>(data) - lines->offset) / sizeof(space::PeerLine);
    const std::size_t count = std::min<std::size_t>(count_max, header.ranks - peer);
    const std::size_t bytes = count * sizeof(space::PeerLine);
    if (pread(lines->file, some.data(), bytes, at(peer)) != static_cast<ssize_t>(bytes)) break;
    for (std::size_t i = 0; i < count; ++i)
      add(pending, static_cast<int>(peer + i), some[i], header, segments);
    peer += count;
  }
  return pending;
}

}  // namespace armature::command
