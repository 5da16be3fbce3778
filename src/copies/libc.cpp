#include <cstring>

#include "copies/way.hpp"

namespace armature::copies {

void copy_by_libc(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

}  // namespace armature::copies
