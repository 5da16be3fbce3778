#include "fibers/stacks.hpp"

#include "base/process_memory.hpp"
#include "fibers/rank_malloc.hpp"
#include "image/copies.hpp"

namespace armature::fibers {

Stacks::Stacks(const space::Mapping& mapping)
    : own_(mapping, 0),
      running_(&own_),
      heap_(heap_of_malloc()),
      exceptions_(&exception_state()),
      error_number_(&errno),
      ranks_have_copies_(image::copies() != nullptr),
      ranks_have_own_(false) {
  if (const image::Copies* const copies = image::copies()) {
    thread_locals_ = copies->thread_locals();
    own_thread_locals_ = std::make_unique<std::byte[]>(copies->plan().thread_locals_bytes());
    own_.program.thread_locals = own_thread_locals_.get();
    ranks_have_own_ = !thread_locals_.empty();
  }
  base::heap_of_rank = malloc_knows_ranks() ? &heap_ : nullptr;
}

Stacks::~Stacks() { base::heap_of_rank = nullptr; }

}  // namespace armature::fibers
