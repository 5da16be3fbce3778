#include "bootstrap/explain/pending.hpp"

#include <cstddef>
#include <memory>

#include "bootstrap/explain/observe.hpp"
#include "space/band_head.hpp"
#include "transport/mailbox.hpp"

namespace armature::bootstrap {
namespace {

using transport::Ring;

/// The counters stand before the bytes, which are not copied.
constexpr std::size_t counters_bytes = sizeof(Ring) - Ring::capacity;

bool has_mail(const space::ControlHeader& header, const BandFiles& bands,
              std::uint64_t ring_address, Ring& scratch) {
  return ring_address != 0 && bands.read(header, ring_address, &scratch, counters_bytes) &&
         scratch.readable() > 0;
}

}  // namespace

Pending read_pending(const space::ControlHeader& header, const BandFiles& bands, int rank) {
  Pending pending;
  const std::size_t lines_bytes = header.ranks * sizeof(space::PeerLine);
  const auto lines = std::make_unique<space::PeerLine[]>(header.ranks);
  const std::uint64_t head =
      header.band_base + static_cast<std::uint64_t>(rank) * header.band_bytes;
  if (!bands.read(header, head + sizeof(space::BandHead), lines.get(), lines_bytes)) return pending;

  const auto scratch = std::make_unique<Ring>();
  for (int peer = 0; peer < static_cast<int>(header.ranks); ++peer) {
    const space::PeerLine& line = lines[static_cast<std::size_t>(peer)];
    const std::uint64_t ring = line.mailbox.load(std::memory_order_relaxed);
    if (has_mail(header, bands, ring, *scratch)) pending.messages.push_back(peer);
    if (line.notified.load(std::memory_order_relaxed) > line.consumed) {
      pending.notifies.push_back(peer);
    }
  }
  return pending;
}

}  // namespace armature::bootstrap
