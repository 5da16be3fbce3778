#include "fibers/stacks.hpp"

#include "base/process_memory.hpp"
#include "fibers/rank_malloc.hpp"

namespace armature::fibers {

Stacks::Stacks(const space::Mapping& mapping)
    : own_(mapping, 0),
      running_(&own_),
      heap_(heap_of_malloc()),
      exceptions_(&exception_state()),
      error_number_(&errno) {
  base::heap_of_rank = malloc_knows_ranks() ? &heap_ : nullptr;
}

Stacks::~Stacks() { base::heap_of_rank = nullptr; }

}  // namespace armature::fibers
