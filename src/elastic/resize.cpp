#include <string>

#include <fmt/format.h>

#include "armature/virtual.hpp"
#include "base/fail.hpp"
#include "migration/addresses.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature {
namespace {

/// Asks for processes and does not wait: a rank that waited would keep the others from meeting, and
/// the resize is done when they meet.
void ask_on_nodes(space::ControlHeader& job, std::uint32_t processes) {
  if (const char* const why = migration::why_not_restart(job))
    base::fail(Errc::misuse, fmt::format("resize: {}", why));
  (void)wait::ask_for_processes(job, processes);
}

}  // namespace

void resize(int processes) {
  const wait::RankContext& me = wait::this_rank("resize");
  space::ControlHeader& job = me.space.header();
  if (job.ranks_are_virtual == 0 || job.simulation.on != 0)
    base::fail(Errc::misuse, "resize: only virtual ranks can move (armature run --virtual)");
  if (job.launcher.is_there == 0 && job.nodes == 1) base::fail(Errc::misuse, wait::cannot_resize);
  if (processes < 1 || processes > me.space.ranks())
    base::fail(Errc::bad_argument,
               fmt::format("resize: {} processes are not possible: 1 to {}, as many as there are "
                           "ranks, are",
                           processes, me.space.ranks()));
  if (job.nodes > 1) return ask_on_nodes(job, static_cast<std::uint32_t>(processes));
  const std::uint32_t request = wait::ask_for_processes(job, static_cast<std::uint32_t>(processes));
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = "resize"};
  wait::wait_until(wait, [&] { return wait::is_answered(job, request); });
  if (const std::string refusal = job.resize.refusal; !refusal.empty())
    base::fail(Errc::misuse, "resize: " + refusal);
}

int hosting_processes() {
  return static_cast<int>(
      wait::hosting_processes(wait::this_rank("hosting_processes").space.header()));
}

}  // namespace armature
