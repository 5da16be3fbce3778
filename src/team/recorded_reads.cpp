#include "team/recorded_reads.hpp"

#include <algorithm>
#include <cstddef>

#include "wait/recorded_links.hpp"

namespace armature::team {
namespace {

/// The bytes that one member reads where the root alone shows something, in pieces.
std::size_t bytes_of_pieces(std::uint32_t me, const Shown& read) {
  if (read.by == Shown::By::one_piece) return me < read.pieces ? read.piece_bytes(me) : 0;
  std::size_t all = 0;
  for (std::uint32_t piece = 0; piece < read.pieces; ++piece) all += read.piece_bytes(piece);
  return all;
}

}  // namespace

void record_reads(const Lines& lines, std::span<const std::int32_t> members, int me,
                  const Shown& read) {
  const auto record = [&](std::size_t member, std::size_t bytes) {
    if (bytes > 0 && static_cast<int>(member) != me) wait::record_link(members[member], bytes);
  };
  if (read.is_in_pieces())
    return record(read.root, bytes_of_pieces(static_cast<std::uint32_t>(me), read));
  if (read.by == Shown::By::root && me != static_cast<int>(read.root)) return;
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::size_t shown = lines.shown_by(static_cast<int>(member));
    record(member, read.by == Shown::By::blocks ? std::min(read.bytes, shown) : shown);
  }
}

}  // namespace armature::team
