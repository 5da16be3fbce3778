#include "fibers/own_program.hpp"

#include <unistd.h>

#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "image/copies.hpp"

namespace armature::fibers {

/// Release: who takes it calls it.
void OwnProgram::AtExit::add(void (*function)(void* argument), void* argument) {
  auto* const added = new One{last_.load(std::memory_order_relaxed), function, argument};
  while (!last_.compare_exchange_weak(added->next, added, std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
}

void OwnProgram::AtExit::call_all() {
  // Only here one is taken away: what is found twice has not been replaced in between.
  while (One* last = last_.load(std::memory_order_acquire)) {
    if (!last_.compare_exchange_weak(last, last->next, std::memory_order_acquire)) continue;
    const One now = *last;
    delete last;
    now.function(now.argument);
  }
}

std::size_t OwnProgram::bytes() {
  const image::Copies* const copies = image::copies();
  return copies != nullptr ? copies->plan().all_bytes() : 0;
}

void OwnProgram::make(int of_rank) {
  const image::Copies* const copies = image::copies();
  if (copies == nullptr) return;
  copies->fill(of_rank);
  rank = of_rank;
  thread_locals = copies->thread_locals_of(of_rank);
}

void OwnProgram::map_code() const {
  const image::Copies* const copies = image::copies();
  if ((rank >= 0) != (copies != nullptr))
    base::fail(Errc::start,
               "--private-globals: it is on in one of the processes that a rank has run in, and "
               "off in another");
  if (copies == nullptr) return;
  const base::ProcessMemory processes;  // not the rank's doing that happens to run
  copies->map_text(rank);
}

void OwnProgram::begin(int argc, char** argv) const {
  if (rank >= 0) image::copies()->construct(rank, argc, argv, environ);
}

void OwnProgram::end() {
  if (rank < 0) return;
  at_thread_exit.call_all();
  at_exit.call_all();
  image::copies()->destroy(rank);
}

}  // namespace armature::fibers
