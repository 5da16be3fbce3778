#include "fibers/private_globals.hpp"

#include <cstdint>
#include <fstream>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "fibers/replaced_attributes.hpp"
#include "fibers/replaced_calls.hpp"
#include "image/copies.hpp"
#include "space/virtual_segment.hpp"

namespace armature::fibers {
namespace {

/// The kernel's limit, where it can be read.
std::uint64_t areas_max() {
  std::uint64_t most = UINT64_MAX;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  return most != 0 ? most : UINT64_MAX;
}

/// Requires that the kernel lets a process have the memory areas that its ranks make.
void require_areas(const space::ControlHeader& job, const image::Plan& plan) {
  const bool are_guarded = space::VirtualSegment::guards_are_areas(job.ranks);
  const std::uint64_t ranks = (job.ranks + job.processes - 1) / job.processes;
  // Behind the code of each image lie its data, an area of the segment.
  const std::uint64_t each = plan.text.size() + plan.images.size() + (are_guarded ? 2 : 0);
  if (ranks * each > areas_max())
    base::fail(
        Errc::start,
        fmt::format("--private-globals: {} ranks of a process take {} memory areas, {} each, "
                    "and the kernel gives it {}: run more processes, raise "
                    "vm.max_map_count, or let the ranks of a process share the program's globals "
                    "(--private-globals=off)",
                    ranks, ranks * each, each, areas_max()));
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
  const std::uint64_t bytes = plan.all_bytes();
  if (bytes > mapping.segment_bytes() / 8)
    base::fail(Errc::start,
               fmt::format("--private-globals: the program has {} bytes, and a rank's segment {}: "
                           "give them larger ones (--segment-size), or let the ranks of a process "
                           "share the program's globals (--private-globals=off)",
                           bytes, mapping.segment_bytes()));
  require_areas(mapping.header(), plan);
  image::place_copies({.first = mapping.segment(0) + mapping.segment_bytes() - bytes,
                       .distance = mapping.segment_bytes(),
                       .count = mapping.ranks()});
}

}  // namespace armature::fibers
