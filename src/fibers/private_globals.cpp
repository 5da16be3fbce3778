#include "fibers/private_globals.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "fibers/replaced_attributes.hpp"
#include "fibers/replaced_calls.hpp"
#include "fibers/replaced_lookups.hpp"
#include "fibers/replaced_names.hpp"
#include "fibers/replaced_pauses.hpp"
#include "fibers/replaced_results.hpp"
#include "fibers/replaced_waits.hpp"
#include "fibers/stack_guard.hpp"
#include "image/copies.hpp"
#include "image/users_of_program.hpp"

namespace armature::fibers {
namespace {

/// Requires that the kernel lets a process have the memory areas that its ranks make.
void require_areas(const space::ControlHeader& job, const image::Plan& plan) {
  const bool are_guarded = guards_are_areas(job.ranks, &plan);
  const std::uint64_t ranks = (job.ranks + job.processes - 1) / job.processes;
  const std::uint64_t each = plan.areas() + (are_guarded ? 2 : 0), most = image::areas_max();
  if (ranks * each > most)
    base::fail(
        Errc::start,
        fmt::format("--private-globals: {} ranks of a process take {} memory areas, {} each, "
                    "and the kernel gives it {}: run more processes, raise "
                    "vm.max_map_count, or let the ranks of a process share the program's globals "
                    "(--private-globals=off)",
                    ranks, ranks * each, each, most));
}

}  // namespace

void make_globals_private(const space::Mapping& mapping) {
  if (!image::globals_are_private()) return;
  if (base::on_valgrind)
    base::fail(Errc::start,
               "--private-globals: not on valgrind, which takes a copy of the "
               "program for memory that nobody has written");
  const space::ControlHeader& job = mapping.header();
  const bool is_one_process = job.processes == 1 || (job.simulation.on != 0 && !job.acts_in_turn());
  if (mapping.checks_in_full() && !is_one_process)
    base::fail(Errc::start,
               "--private-globals: not with --check, which each process looks after by itself: run "
               "with one of them");
  image::Plan& plan = image::plan_of_program();
  replace_calls(plan);
  replace_attributes(plan);
  replace_lookups(plan);
  replace_names(plan);
  replace_pauses(plan);
  replace_results(plan);
  replace_waits(plan);
  const std::uint64_t bytes = plan.all_bytes();
  if (bytes > mapping.segment_bytes() / 8)
    base::fail(Errc::start,
               fmt::format("--private-globals: the program has {} bytes, and a rank's segment {}: "
                           "give them larger ones (--segment-size), or let the ranks of a process "
                           "share the program's globals (--private-globals=off)",
                           bytes, mapping.segment_bytes()));
  require_areas(mapping.header(), plan);
  const image::Copies& copies =
      image::place_copies({.first = mapping.segment(0) + mapping.segment_bytes() - bytes,
                           .distance = mapping.segment_bytes(),
                           .count = mapping.ranks()});
  image::refuse_users_of_program(copies);
}

}  // namespace armature::fibers
