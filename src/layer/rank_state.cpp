#include "armature/layer/rank_state.hpp"

#include <utility>

#include "base/process_memory.hpp"

namespace armature::layer {

ProcessMemory::ProcessMemory()
    : before_(base::heap_of_rank != nullptr ? std::exchange(*base::heap_of_rank, nullptr)
                                            : nullptr) {}

ProcessMemory::~ProcessMemory() {
  if (base::heap_of_rank != nullptr) *base::heap_of_rank = static_cast<space::RankHeap*>(before_);
}

}  // namespace armature::layer
