#include "wait/processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "base/futex.hpp"

namespace armature::wait {

// On one node the numbers of the job's processes end before those that have joined to come to it.
void wake_processes(const space::Control& control) {
  const space::ControlHeader& job = control.header();
  const std::uint32_t all =
      std::min(std::max(job.processes, job.alike.joined.load(std::memory_order_acquire)),
               space::Control::process_slots(job));
  for (std::uint32_t p = 0; p < all; ++p) {
    std::atomic<std::uint32_t>& word = control.process(static_cast<int>(p)).notifications;
    word.fetch_add(1, std::memory_order_seq_cst);
    base::futex_wake(word);
  }
}

void reconfigure(const space::Control& control, space::Reconfiguration as,
                 std::span<const int> leave, std::span<const int> join) {
  space::ControlHeader& job = control.header();
  const std::uint32_t number = job.quiesce.epoch.wanted.load(std::memory_order_relaxed) + 1;
  for (const int process : leave)
    control.process(process).until.store(number, std::memory_order_release);
  for (const int process : join) {
    control.process(process).since.store(number, std::memory_order_release);
    job.processes = std::max(job.processes, static_cast<std::uint32_t>(process) + 1);
  }
  job.quiesce.epoch.how.store(as, std::memory_order_release);
  job.quiesce.epoch.wanted.store(number, std::memory_order_release);
  wake_processes(control);
}

// Slots alone are counted: so nothing is missing when one dies here, nor counted twice.
void lose_process(const space::Control& control, int process) {
  space::QuiesceState& quiesce = control.header().quiesce;
  std::atomic<std::uint32_t>& until = control.process(process).until;
  const std::uint32_t end = quiesce.epoch.wanted.load(std::memory_order_acquire) + 1;
  // Some node may not know yet that it has left, or has come: then all take it for lost, and so
  // agree.
  std::uint32_t before = until.load(std::memory_order_acquire);
  while ((before == 0 || before >= space::ProcessSlot::admitted) &&
         !until.compare_exchange_weak(before, end, std::memory_order_acq_rel)) {
  }
  std::uint32_t lost = 0;
  for (std::uint32_t p = 0; p < control.header().processes; ++p)
    lost += is_lost(control.process(static_cast<int>(p))) ? 1 : 0;
  std::uint32_t known = quiesce.epoch.wanted.load(std::memory_order_acquire);
  while (known < lost &&
         !quiesce.epoch.wanted.compare_exchange_weak(known, lost, std::memory_order_acq_rel)) {
  }
  wake_processes(control);
}

namespace {

/// A process that leaves waits until members of the next epoch take its ranks. Where none of them
/// lives, it would wait for ever.
void keep_those_who_leave(const space::Control& control, std::span<const int> alive) {
  const space::QuiesceState& quiesce = control.header().quiesce;
  const std::uint32_t next = quiesce.epoch.wanted.load(std::memory_order_relaxed);
  if (std::ranges::any_of(alive, [&](int one) { return control.process(one).belongs(next); }))
    return;
  for (const int one : alive) {
    space::ProcessSlot& slot = control.process(one);
    if (!is_to_leave(quiesce, slot)) continue;
    slot.until.store(0, std::memory_order_release);
    slot.step.store(0, std::memory_order_release);  // it will run ranks again
  }
}

}  // namespace

void roll_back_without(const space::Control& control, int process, std::span<const int> alive) {
  control.process(process).step.store(runs_no_more, std::memory_order_release);
  if (recovers_on_nodes(control.header())) return lose_process(control, process);
  keep_those_who_leave(control, alive);
  reconfigure(control, space::Reconfiguration::roll_back, std::span(&process, 1), {});
}

std::uint32_t hosting_processes(const space::ControlHeader& job) {
  const space::Control control{
      reinterpret_cast<std::byte*>(const_cast<space::ControlHeader*>(&job))};
  const std::uint32_t reconfigured = job.quiesce.epoch.entered.load(std::memory_order_acquire);
  std::uint32_t count = 0;
  for (std::uint32_t p = 0; p < job.processes; ++p)
    count += control.process(static_cast<int>(p)).belongs(reconfigured) ? 1 : 0;
  return count;
}

std::uint32_t hosting_nodes(const space::ControlHeader& job) {
  const space::Control control{
      reinterpret_cast<std::byte*>(const_cast<space::ControlHeader*>(&job))};
  const std::uint32_t reconfigured = job.quiesce.epoch.entered.load(std::memory_order_acquire);
  std::set<std::int32_t> nodes;
  for (int p = 0; p < static_cast<int>(job.processes); ++p)
    if (control.process(p).belongs(reconfigured)) nodes.insert(control.process(p).node);
  return static_cast<std::uint32_t>(nodes.size());
}

std::vector<int> those_who_change(const space::Mapping& mapping,
                                  std::atomic<std::uint32_t> space::ProcessSlot::*with) {
  const std::uint32_t wanted = mapping.header().quiesce.wanted.load(std::memory_order_acquire);
  std::vector<int> changing;
  for (int process = 0; process < static_cast<int>(mapping.header().processes); ++process)
    if ((mapping.process_slot(process).*with).load(std::memory_order_acquire) == wanted)
      changing.push_back(process);
  return changing;
}

bool all_have_finished(const space::Mapping& mapping) {
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    if (mapping.slot(rank).life.load(std::memory_order_acquire) < space::Life::finished)
      return false;
  return true;
}

std::uint32_t ask_for_processes(space::ControlHeader& job, std::uint32_t processes) {
  std::atomic<std::uint64_t>& wanted = job.resize.wanted;
  std::uint64_t before = wanted.load(std::memory_order_relaxed), next = 0;
  do next = ((before >> 32) + 1) << 32 | processes;
  while (!wanted.compare_exchange_weak(before, next, std::memory_order_acq_rel));
  // The launcher looks at once instead of at its next round.
  if (job.launcher.is_there != 0) kill(job.launcher.pid, SIGCHLD);
  return static_cast<std::uint32_t>(next >> 32);
}

bool is_answered(const space::ControlHeader& job, std::uint32_t request) {
  const std::uint32_t last = job.resize.answered.load(std::memory_order_acquire);
  return static_cast<std::int32_t>(last - request) >= 0;
}

}  // namespace armature::wait
