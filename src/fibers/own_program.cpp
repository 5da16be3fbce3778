#include "fibers/own_program.hpp"

#include <unistd.h>

#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "image/copies.hpp"

namespace armature::fibers {
namespace {

/// A function may have another one called behind it.
void call_all(OwnProgram::AtExit*& list) {
  while (OwnProgram::AtExit* const last = list) {
    list = last->next;
    const OwnProgram::AtExit now = *last;
    delete last;
    now.function(now.argument);
  }
}

}  // namespace

std::size_t OwnProgram::bytes() {
  const image::Copies* const copies = image::copies();
  return copies != nullptr ? image::Copies::bytes(copies->plan()) : 0;
}

void OwnProgram::make(int of_rank) {
  const image::Copies* const copies = image::copies();
  if (copies == nullptr) return;
  copies->fill(of_rank);
  rank = of_rank;
  thread_locals = copies->thread_locals_of(of_rank);
}

void OwnProgram::map_code() const {
  if (rank < 0) return;
  const image::Copies* const copies = image::copies();
  if (copies == nullptr)
    base::fail(Errc::start,
               "--private-globals: ranks come here with globals of their own, and this process "
               "keeps none for them");
  const base::ProcessMemory processes;  // not the rank's doing that happens to run
  copies->map_text(rank);
}

void OwnProgram::begin(int argc, char** argv) const {
  if (rank >= 0) image::copies()->construct(rank, argc, argv, environ);
}

void OwnProgram::end() {
  if (rank < 0) return;
  call_all(at_thread_exit);
  call_all(at_exit);
  image::copies()->destroy(rank);
}

}  // namespace armature::fibers
