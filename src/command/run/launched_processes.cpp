#include "command/run/launched_processes.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/process_stat.hpp"
#include "command/run/console.hpp"

namespace armature::command {

using space::Life;

LaunchedProcesses::LaunchedProcesses(const JobView& job) : job_(job) {
  for (int rank = 0; rank < job.ranks(); ++rank) {
    const space::RankSlot& slot = job.control().slot(rank);
    if (slot.index == 0) processes_.push_back({.ranks = {rank, 0}, .node = slot.node});
    ++processes_.back().ranks.count;
  }
}

int LaunchedProcesses::number_of(const LaunchedProcess& process) const {
  return static_cast<int>(&process - processes_.data());
}

const space::Control& LaunchedProcesses::node_of(const LaunchedProcess& process) const {
  return job_.node(process.node);
}

std::string LaunchedProcesses::name_of(int rank) const {
  const int pid = job_.control().slot(rank).pid.load(std::memory_order_relaxed);
  return fmt::format("rank {} (pid {}, {})", rank, pid, job_.options().command.front());
}

std::string LaunchedProcesses::name_of(const LaunchedProcess& process) const {
  const std::string& program = job_.options().command.front();
  const bool has_moved_ranks = job_.header().ranks_are_virtual != 0 && process.ranks.count != 0 &&
                               job_.process_of(process.ranks.first) != number_of(process);
  if (process.ranks.count == 0 || has_moved_ranks ||
      job_.header().quiesce.epoch.wanted.load() != 0 || followed_ != 0)
    return fmt::format("process {} (pid {}, {})", number_of(process), process.pid, program);
  const int pid = job_.control().slot(process.ranks.first).pid.load(std::memory_order_relaxed);
  return process.ranks.count == 1 ? name_of(process.ranks.first)
                                  : fmt::format("the process of ranks {} (pid {}, {})",
                                                process.ranks.numbers(), pid, program);
}

bool LaunchedProcesses::any_alive() const {
  return std::ranges::any_of(processes_, &LaunchedProcess::alive);
}

std::vector<int> LaunchedProcesses::living_nodes() const {
  std::vector<int> nodes;
  for (const LaunchedProcess& process : processes_)
    if (process.alive && !process.lost && std::ranges::find(nodes, process.node) == nodes.end() &&
        !node_of(process).process(number_of(process)).has_left())
      nodes.push_back(process.node);
  return nodes;
}

std::vector<int> LaunchedProcesses::hosting() const {
  std::vector<int> numbers;
  for (const LaunchedProcess& process : processes_) {
    const space::Control& node = node_of(process);
    const std::uint32_t reconfiguration =
        node.header().quiesce.epoch.wanted.load(std::memory_order_relaxed);
    if (process.alive && !process.lost && node.process(number_of(process)).belongs(reconfiguration))
      numbers.push_back(number_of(process));
  }
  return numbers;
}

bool LaunchedProcesses::has_left(const LaunchedProcess& process) const {
  const int number = number_of(process);
  return node_of(process).process(number).has_left() &&
         std::ranges::all_of(living_nodes(),
                             [&](int node) { return job_.node(node).process(number).has_left(); });
}

/// A process that all its virtual ranks have left is of the job as long as there are ranks: some
/// may come. So is, on one node or where all may roll back, that of ranks which have ended: the
/// others wait for it.
Life LaunchedProcesses::life_of(const LaunchedProcess& process) const {
  const int number = number_of(process);
  bool all_starting = true, all_finished = true, is_over = true, has_any = false;
  for (int rank = 0; rank < job_.ranks(); ++rank) {
    const Life life = job_.control().slot(rank).life.load(std::memory_order_acquire);
    is_over = is_over && (life == Life::finished || life == Life::dead);
    if (job_.process_of(rank) != number) continue;
    has_any = true;
    all_starting = all_starting && life == Life::starting;
    all_finished = all_finished && life == Life::finished;
  }
  // Ranks that have ended may have to do it again.
  const bool all_stay =
      (job_.nodes().size() == 1 && !job_.header().is_one_process()) || job_.recovers_on_nodes();
  const space::Control& node = node_of(process);
  const space::ProcessSlot& slot = node.process(number);
  const bool is_member = job_.recovers_on_nodes()
                             ? !slot.has_left()
                             : slot.belongs(node.header().quiesce.epoch.entered);
  if (job_.header().ranks_are_virtual != 0 && is_member && (!has_any || (all_finished && all_stay)))
    return is_over ? Life::finished : Life::running;
  return all_finished ? Life::finished : all_starting ? Life::starting : Life::running;
}

/// No rank lives yet while its process connects to others, but their records of waits have been
/// written to.
bool LaunchedProcesses::has_begun_to_join(const LaunchedProcess& process) const {
  const int number = number_of(process);
  for (int rank = 0; rank < job_.ranks(); ++rank) {
    const space::RankSlot& slot = job_.control().slot(rank);
    if (job_.process_of(rank) == number &&
        (slot.life.load(std::memory_order_acquire) != Life::starting ||
         slot.wait.sequence.load(std::memory_order_acquire) != 0))
      return true;
  }
  return false;
}

pid_t LaunchedProcesses::joined_behind(const LaunchedProcess& process,
                                       std::vector<pid_t>& ours) const {
  const int number = number_of(process);
  int rank = job_.header().ranks_are_virtual != 0 ? 0 : process.ranks.first;
  while (rank < job_.ranks() && job_.process_of(rank) != number) ++rank;
  const pid_t pid =
      rank < job_.ranks() ? job_.control().slot(rank).pid.load(std::memory_order_relaxed) : 0;
  if (pid <= 0 || pid == process.pid) return 0;
  const auto stat = base::process_stat(pid);
  if (!stat || stat->state == 'Z') return 0;
  if (ours.empty()) ours = descendants_.of_the_job();
  const bool is_started_by_us = std::ranges::count(processes_, pid, &LaunchedProcess::pid) != 0;
  return !is_started_by_us && std::ranges::count(ours, pid) != 0 ? pid : 0;
}

void LaunchedProcesses::follow_ranks() {
  if (job_.nodes().size() < 2) return;
  if (job_.recovers_on_nodes()) return follow_living_ranks();
  const std::uint32_t times =
      job_.nodes().front().header().quiesce.over.load(std::memory_order_acquire);
  if (std::exchange(followed_, times) == times) return;
  for (const auto& node : job_.memory())
    if (!show_slots_of(job_.control(), node.control.get(), true))
      say(fmt::format("ranks cannot be watched any more: {}", base::system_text(errno)));
  bring_requests_after(living_nodes());
}

/// Follows the node that has come furthest: one that is lost has not rolled back with the others,
/// and what it says of ranks does not hold any more. One whose processes have all ended is as good
/// as any.
void LaunchedProcesses::follow_living_ranks() {
  const space::Control* known = &job_.nodes().front();
  std::pair<std::uint32_t, std::uint32_t> times;
  for (const space::Control& node : job_.nodes()) {
    const space::QuiesceState& quiesce = node.header().quiesce;
    const std::pair now(quiesce.epoch.entered.load(std::memory_order_acquire),
                        quiesce.over.load(std::memory_order_acquire));
    if (now > times) {
      times = now;
      known = &node;
    }
  }
  const std::uint32_t both = (times.first << 16) + times.second;
  if (std::exchange(followed_, both) == both) return;
  for (int rank = 0; rank < static_cast<int>(known->header().ranks); ++rank) {
    const auto node = static_cast<std::size_t>(known->slot(rank).node);
    (void)show_slot(job_.control(), rank, job_.memory()[node].control.get(), true);
  }
  bring_requests_after(living_nodes());
}

/// Requests that rank 0 has not seen, since it was on its way, are brought to where it is.
void LaunchedProcesses::bring_requests_after(const std::vector<int>& nodes) const {
  for (const int node : nodes)
    if (const std::uint32_t unseen = job_.node(node).header().quiesce.requests.exchange(0))
      job_.header_of_rank_0().quiesce.requests.fetch_add(unseen);
}

}  // namespace armature::command
