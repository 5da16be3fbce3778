#include "armature/clock.hpp"

#include "base/clock.hpp"

namespace armature {

std::uint64_t clock_ns() { return base::now_ns(); }

}  // namespace armature
