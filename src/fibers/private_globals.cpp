// The copy lies at the end of the segment: the rest of the rank's heap ends before it. Its data are
// pages of the segment. Its code is mapped over pages of the segment that nobody has touched, which
// are no memory, and do not move and are not written with the rank.
#include "fibers/private_globals.hpp"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "base/valgrind.hpp"
#include "fibers/rank_fiber.hpp"
#include "fibers/replaced_calls.hpp"
#include "image/copies.hpp"

namespace armature::fibers {

void make_globals_private(const space::Mapping& mapping) {
  if (!image::globals_are_private()) return;
  if (base::on_valgrind)
    base::fail(Errc::start, "--private-globals: not on valgrind, which takes a copy of the "
                            "program for memory that nobody has written");
  image::Plan& plan = image::plan_of_program();
  const std::uint64_t bytes = image::Copies::bytes(plan);
  if (bytes > mapping.segment_bytes() / 8)
    base::fail(Errc::start,
               fmt::format("--private-globals: the program has {} bytes, and a rank's segment {}: "
                           "give them larger ones (--segment-size)",
                           bytes, mapping.segment_bytes()));
  for (const auto& [name, by] : replaced_calls()) plan.replace(name, by);
  image::place_copies({.first = mapping.segment(0) + mapping.segment_bytes() - bytes,
                       .distance = mapping.segment_bytes(),
                       .count = mapping.ranks()});
}

std::size_t private_globals_bytes() {
  const image::Copies* const copies = image::copies();
  return copies != nullptr ? image::Copies::bytes(copies->plan()) : 0;
}

void make_copy(RankFiber& fiber) {
  const image::Copies* const copies = image::copies();
  if (copies == nullptr) return;
  copies->fill(fiber.rank);
  fiber.has_copy = true;
  fiber.thread_locals = copies->thread_locals_of(fiber.rank);
}

void map_code(const RankFiber& fiber) {
  if (!fiber.has_copy) return;
  const image::Copies* const copies = image::copies();
  if (copies == nullptr)
    base::fail(Errc::start,
               "--private-globals: ranks come here with globals of their own, and this process "
               "keeps none for them");
  const base::ProcessMemory processes;  // not the rank's doing that happens to run
  copies->map_text(fiber.rank);
}

void begin_copy(const RankFiber& fiber, int argc, char** argv) {
  if (fiber.has_copy) image::copies()->construct(fiber.rank, argc, argv, environ);
}

namespace {

/// A function may have another one called behind it.
void call_at_exit(AtExit*& list) {
  while (AtExit* const last = list) {
    list = last->next;
    const AtExit now = *last;
    delete last;
    now.function(now.argument);
  }
}

}  // namespace

void end_copy(RankFiber& fiber) {
  if (!fiber.has_copy) return;
  call_at_exit(fiber.at_thread_exit);
  call_at_exit(fiber.at_exit);
  image::copies()->destroy(fiber.rank);
}

}  // namespace armature::fibers
