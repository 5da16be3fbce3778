#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "progress/network.hpp"
#include "space/mapping.hpp"
#include "transport/protocol.hpp"

// Sending what a rank's band holds, from where it lies, to a process of another node.

namespace armature::nodes {

struct Stretch {
  std::uint64_t begin = 0, end = 0;
};

/// Where a rank's band begins in the file of bands, and in those of copies.
inline std::uint64_t begin_of(const space::Mapping& mapping, int rank) {
  return static_cast<std::uint64_t>(rank) * mapping.band_bytes();
}

/// f(stretch) for each stretch of pages between these places of the file that were touched.
template <class F>
void for_each_extent(int file, const Stretch& all, F&& f) {
  for (std::uint64_t at = all.begin; at < all.end;) {
    const off_t data = lseek(file, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 || static_cast<std::uint64_t>(data) >= all.end) return;
    const off_t hole = lseek(file, data, SEEK_HOLE);
    at = hole < 0 ? all.end : std::min(static_cast<std::uint64_t>(hole), all.end);
    f(Stretch{static_cast<std::uint64_t>(data), at});
  }
}

/// Pieces of a band, several under way at a time.
class Pieces {
 public:
  /// Whether what lies behind the head is given back as it leaves: on the other side each page
  /// costs more.
  enum class After { kept, given_back };
  struct Options {
    int rank, process;  // to which it goes
    transport::Kind kind;
    After after;
  };
  /// `file` is that of the bands.
  Pieces(const space::Mapping& mapping, int file, const Options& options);
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  /// The engine has let go of all.
  ~Pieces();

  /// `piece` is where it lies in the band; not longer than Protocol::piece_bytes.
  void send(const Stretch& piece, std::span<const std::byte> record);

 private:
  struct Piece : transport::Sending {
    std::atomic<bool> busy = false;
    Stretch place;  // empty: none
  };
  void await(Piece& piece) const;

  const space::Mapping& mapping_;
  const int file_;
  const Options options_;
  std::array<Piece, transport::Protocol::puts_under_way> pieces_;
  std::size_t next_ = 0;
};

/// Sends all pages of the band that were touched, in their order. `record_of(piece)` is what goes
/// with a piece.
template <class Record, class F>
void send_band(const space::Mapping& mapping, int file, const Pieces::Options& options,
               F&& record_of) {
  constexpr std::uint64_t piece_max = transport::Protocol::piece_bytes;
  const std::uint64_t begin = begin_of(mapping, options.rank);
  Pieces pieces(mapping, file, options);
  for_each_extent(file, {begin, begin + mapping.band_bytes()}, [&](const Stretch& extent) {
    for (std::uint64_t at = extent.begin; at < extent.end; at += piece_max) {
      const Stretch piece{at - begin, std::min(at + piece_max, extent.end) - begin};
      const Record record = record_of(piece);
      pieces.send(piece, std::as_bytes(std::span(&record, 1)));
    }
  });
}

}  // namespace armature::nodes
