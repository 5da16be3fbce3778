#include "space/reserve.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace armature::space {

// In pieces: in older kernels (Debian 12 has one) any signal ends fallocate, which gives back what
// it has made. With a timer that ticks, as profilers have, a long one would never come to its end.
bool reserve(int file, std::uint64_t begin, std::uint64_t bytes) {
  constexpr std::uint64_t piece_max = 2 << 20;
  const std::uint64_t end = begin + bytes;
  while (begin < end) {
    const std::uint64_t piece = std::min(piece_max, end - begin);
    const int result =
        fallocate(file, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin), static_cast<off_t>(piece));
    if (result != 0 && errno != EINTR) return false;
    if (result == 0) begin += piece;
  }
  return true;
}

}  // namespace armature::space
