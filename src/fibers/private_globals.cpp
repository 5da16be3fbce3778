#include "fibers/private_globals.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "fibers/replaced_calls.hpp"
#include "image/copies.hpp"

namespace armature::fibers {

void make_globals_private(const space::Mapping& mapping) {
  if (!image::globals_are_private()) return;
  if (base::on_valgrind)
    base::fail(Errc::start,
               "--private-globals: not on valgrind, which takes a copy of the "
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

}  // namespace armature::fibers
