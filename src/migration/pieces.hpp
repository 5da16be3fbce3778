#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "migration/segment_file.hpp"
#include "net/network.hpp"
#include "space/mapping.hpp"
#include "space/node_memory.hpp"
#include "transport/limits.hpp"

// Sending what a rank's segment holds, from where it lies, to a process of another node.

namespace armature::migration {

class PageCache;

/// Pieces of a segment, several under way at a time.
class Pieces {
 public:
  struct Options {
    int rank, process;  // to which it goes
    transport::RecordOf kind;
    /// Takes what lies behind the head, which is given back else: on the other side each page costs
    /// more. nullptr: all stays.
    PageCache* left = nullptr;
  };
  /// `file` is that of the segments.
  Pieces(const space::Mapping& mapping, int file, const Options& options);
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  /// The engine has let go of all.
  ~Pieces();

  /// `piece` is where it lies in the segment; not longer than Limits::piece_bytes.
  void send(const Stretch& piece, std::span<const std::byte> record);

 private:
  struct Piece : transport::Sending {
    std::atomic<bool> busy = false;
    Stretch place;  // empty: none
  };
  void await(Piece& piece) const;
  [[nodiscard]] bool stay(const Stretch& pages) const;

  const space::Mapping& mapping_;
  const int file_;
  const Options options_;
  std::array<Piece, transport::Limits::pieces_under_way> pieces_;
  std::size_t next_ = 0;
};

/// Sends all pages of the segment that were touched, in their order, but for those that the rank
/// has freed and keeps: these are given back. `record_of(hole, touched)` is what goes with a piece:
/// from `hole` up to it nothing was touched, and from it on all of `touched`. Returns where the
/// last hole begins.
template <class Record, class F>
std::uint64_t send_segment(const space::Mapping& mapping, int file, const Pieces::Options& options,
                           F&& record_of) {
  constexpr std::uint64_t piece_max = transport::Limits::piece_bytes;
  space::NodeMemory(mapping).empty_kept(options.rank);
  const std::uint64_t begin = begin_of(mapping, options.rank);
  std::uint64_t hole = 0;
  Pieces pieces(mapping, file, options);
  for_each_extent(file, {begin, begin + mapping.segment_bytes()}, [&](const Stretch& extent) {
    for (std::uint64_t at = extent.begin; at < extent.end; at += piece_max) {
      const Stretch piece{at - begin, std::min(at + piece_max, extent.end) - begin};
      const Stretch touched{piece.begin, extent.end - begin};
      const Record record = record_of(std::exchange(hole, piece.end), touched);
      pieces.send(piece, std::as_bytes(std::span(&record, 1)));
    }
  });
  return hole;
}

/// Throws Error(corrupt) unless so many bytes from `offset` on lie in a segment, behind that hole.
void require_in_segment(const transport::Arrived& arrived, std::uint64_t hole, std::uint64_t offset,
                        std::size_t bytes);

}  // namespace armature::migration
