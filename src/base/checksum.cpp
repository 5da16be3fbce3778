#include "base/checksum.hpp"

// The header alone is used: programs that link with the library need no other one for this.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace armature::base {

std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t before) {
  return XXH3_64bits_withSeed(data, bytes, before);
}

}  // namespace armature::base
