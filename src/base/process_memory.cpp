#include "base/process_memory.hpp"

namespace armature::base {

constinit thread_local space::RankHeap** heap_of_rank = nullptr;

}  // namespace armature::base
