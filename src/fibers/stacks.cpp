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
    const std::size_t bytes = copies->plan().thread_locals.bytes;
    thread_locals_ = {image::Loaded::program().thread_locals, bytes,
                      std::make_unique<std::byte[]>(bytes)};
    own_.program.thread_locals = thread_locals_.own.get();
    ranks_have_own_ = bytes != 0;
  }
  base::heap_of_rank = malloc_knows_ranks() ? &heap_ : nullptr;
}

Stacks::~Stacks() { base::heap_of_rank = nullptr; }

}  // namespace armature::fibers
