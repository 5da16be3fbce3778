#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "space/mapping.hpp"

namespace armature::wait {

/// Wakes all processes of the job that host virtual ranks; from anywhere that has mapped the block.
void wake_processes(const space::Control& control);

/// The value of ProcessSlot::step for a process that will never run a rank again.
inline constexpr std::uint64_t runs_no_more = UINT64_MAX;

/// Has all reconfigure, on one node, without those processes, and with those to come. Called by
/// whoever alone does so: the launcher, or a simulation.
void reconfigure(const space::Control& control, space::Reconfiguration as,
                 std::span<const int> leave, std::span<const int> join);

/// Has all roll back without that process, which was killed, in a job that recovers. Called by the
/// launcher, or a simulation; on several nodes for the block of its node: the others hear of it by
/// themselves. `alive`: the others that are not known to be dead. On one node those of them that
/// are to leave stay where nobody else is left.
void roll_back_without(const space::Control& control, int process, std::span<const int> alive);
/// Whether that process is to leave a job of one node, and has not yet. Nobody enters the
/// reconfiguration in which it leaves any more once all its members are dead: then it may stay.
inline bool is_to_leave(const space::QuiesceState& quiesce, const space::ProcessSlot& slot) {
  return slot.until.load(std::memory_order_acquire) >
         quiesce.epoch.entered.load(std::memory_order_acquire);
}

/// Takes that process for lost, on several nodes, in a job that recovers. Its node's others are to
/// roll back without it. Called by whoever finds out, as often as they like.
void lose_process(const space::Control& control, int process);
/// Whether the node of this block knows that.
inline bool is_lost(const space::ProcessSlot& slot) {
  const std::uint32_t until = slot.until.load(std::memory_order_acquire);
  return until != 0 && until < space::ProcessSlot::admitted;
}
/// Whether it is lost, has left in order, or has not come yet.
inline bool is_gone(const space::ProcessSlot& slot) {
  return slot.until.load(std::memory_order_acquire) != 0;
}
/// On several nodes: that process is about to leave with the quiescence that is under way, or to
/// come with it.
inline bool is_changing(const space::QuiesceState& quiesce, const space::ProcessSlot& slot) {
  const std::uint32_t wanted = quiesce.wanted.load(std::memory_order_acquire);
  return (slot.leaves.load(std::memory_order_acquire) == wanted ||
          slot.comes.load(std::memory_order_acquire) == wanted) &&
         wanted != quiesce.over.load(std::memory_order_acquire);
}
/// The processes of a job of several nodes that leave with the quiescence that is under way, or
/// those that come with it: whose `ProcessSlot::leaves` or `ProcessSlot::comes` has its number.
std::vector<int> those_who_change(const space::Mapping& mapping,
                                  std::atomic<std::uint32_t> space::ProcessSlot::*with);
/// Whether a job of several nodes rolls back to copies in memory after deaths.
inline bool recovers_on_nodes(const space::ControlHeader& job) {
  return job.nodes > 1 && job.settings.on_death == space::OnDeath::recover;
}

/// How many processes host the ranks of the job now.
std::uint32_t hosting_processes(const space::ControlHeader& job);
/// On how many nodes these are.
std::uint32_t hosting_nodes(const space::ControlHeader& job);

/// Whether all ranks of the job have, on whatever node, for a node that has none left.
bool all_have_finished(const space::Mapping& mapping);

inline constexpr const char* cannot_resize =
    "resize: another launcher than armature run has started the job: it can start no further "
    "processes for it";
/// Asks the launcher, which is there, for that many; returns the number of the request.
std::uint32_t ask_for_processes(space::ControlHeader& job, std::uint32_t processes);
/// Whether that is done, or cannot be: then job.resize.refusal says why.
bool is_answered(const space::ControlHeader& job, std::uint32_t request);

}  // namespace armature::wait
