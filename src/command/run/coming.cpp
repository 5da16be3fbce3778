#include "command/run/coming.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "command/run/console.hpp"
#include "space/write_levels.hpp"
#include "wait/processes.hpp"

namespace armature::command {

using space::ProcessSlot;

bool Coming::has_numbers_for(std::size_t count) const {
  const std::size_t used = processes_.all().size() - coming_.size();
  return used + std::max(count, coming_.size()) <= numbers_;
}

bool Coming::bring(std::size_t count) {
  if (are_told_) return true;
  const auto can_come = [&](int number) {
    const space::Control& node = processes_.node_of(processes_.at(number));
    return node.process(number).can_come.load(std::memory_order_acquire) != 0;
  };
  while (coming_.size() < count)
    if (!start()) return false;
  // Fewer are wanted than were: those that are not ready are the first to end.
  for (; coming_.size() > count; coming_.pop_back()) {
    std::ranges::stable_partition(coming_, can_come);
    end(coming_.back());
  }
  return std::ranges::all_of(coming_, can_come);
}

int Coming::least_used_node() const {
  std::map<int, int> used;
  for (const int node : processes_.living_nodes()) used[node] = 0;
  for (const std::vector<int>& numbers : {processes_.hosting(), coming_})
    for (const int number : numbers) ++used[processes_.at(number).node];
  return std::ranges::min_element(used, {}, [](const auto& one) { return one.second; })->first;
}

/// The block of each node says where it is before it can do anything.
bool Coming::start() {
  const auto number = static_cast<int>(processes_.all().size());
  LaunchedProcess process{.ranks = {job_.ranks() - 1, 0, number}, .node = least_used_node()};
  for (const space::Control& node : job_.nodes()) {
    ProcessSlot& slot = node.process(number);
    slot.node = process.node;
    slot.until.store(ProcessSlot::to_come, std::memory_order_release);
    node.header().processes = static_cast<std::uint32_t>(number) + 1;
    space::write_own_levels(node, number);
  }
  processes_.all().push_back(process);
  if (const int error = starter_.start(processes_.at(number)); error != 0) {
    processes_.at(number).lost = true;
    (void)deny(number);
    requests_.note_problem(
        fmt::format("no further process can be started: {}", base::system_text(error)));
    return false;
  }
  coming_.push_back(number);
  return true;
}

bool Coming::start_for_simulation(std::size_t count) {
  while (coming_.size() < count)
    if (!start()) return false;
  return true;
}

/// The job is over, and they do not notice.
void Coming::kill_those_who_hang() {
  constexpr std::uint64_t patience_ns = 2'000'000'000;
  const auto is_another = [&](const LaunchedProcess& process) {
    return process.alive && std::ranges::count(coming_, processes_.number_of(process)) == 0;
  };
  if (coming_.empty() || std::ranges::any_of(processes_.all(), is_another)) return;
  if (alone_since_ns_ == 0) alone_since_ns_ = base::now_ns();
  if (base::now_ns() - alone_since_ns_ < patience_ns) return;
  for (const int number : coming_) end(number);
}

void Coming::look() {
  kill_those_who_hang();
  const std::vector<int> nodes = processes_.living_nodes();
  const auto have_all = [&](int node) {
    return std::ranges::all_of(coming_, [&](int number) {
      return job_.node(node).process(number).until.load(std::memory_order_acquire) == 0;
    });
  };
  if (!are_told_ || coming_.empty() || !std::ranges::all_of(nodes, have_all)) return;
  coming_.clear();
  are_told_ = false;
}

/// No node has the process that does not have it now. False when all do: then it is one of the
/// job's. See elastic/come.cpp.
bool Coming::deny(int number) const {
  bool is_denied = false;
  for (const int node : processes_.living_nodes()) {
    std::atomic<std::uint32_t>& until = job_.node(node).process(number).until;
    std::uint32_t is = ProcessSlot::to_come;
    if (until.compare_exchange_strong(is, ProcessSlot::in_order, std::memory_order_acq_rel) ||
        (is != 0 && is != ProcessSlot::admitted))
      is_denied = true;
  }
  return is_denied;
}

/// No rank needs it, and none will.
void Coming::end(int number) {
  LaunchedProcess& process = processes_.at(number);
  if (process.lost || !deny(number)) return;
  process.lost = true;
  if (process.alive) kill(process.pid, SIGKILL);
}

void Coming::dismiss() {
  if (job_.have_all_ended()) return;
  for (const int number : coming_) end(number);
  coming_.clear();
  are_told_ = false;
}

void Coming::begin_once_more() {
  std::erase_if(coming_, [&](int number) {
    return !processes_.node_of(processes_.at(number)).process(number).is_to_come();
  });
  are_told_ = false;
}

/// The process waited on a node whose other processes have all died, and ended (elastic::look_on).
bool Coming::was_alone(const LaunchedProcess& process) const {
  const ProcessSlot& slot = processes_.node_of(process).process(processes_.number_of(process));
  return slot.is_to_come() && slot.step.load(std::memory_order_acquire) == wait::runs_no_more;
}

bool Coming::do_without(LaunchedProcess& process, const Ending& ending) {
  const int number = processes_.number_of(process);
  const std::string how =
      was_alone(process) ? "has ended, since its node has no other process any more" : ending.how;
  if (std::ranges::find(coming_, number) == coming_.end() || !deny(number)) return false;
  std::erase(coming_, number);
  // Nobody is told of any more. Those that are missing are started.
  const bool are_told = std::exchange(are_told_, are_told_ && !coming_.empty());
  process.lost = true;
  const bool all_roll_back = std::ranges::any_of(job_.nodes(), [&](const space::Control& node) {
    return wait::is_lost(node.process(number));
  });
  // Ranks say why. Or a simulation has let it come, and leave.
  const bool is_told = are_told || job_.header().simulation.on != 0;
  const bool is_dismissed = is_told && ending.status == 0;
  if (all_roll_back || is_dismissed || job_.have_all_ended()) return true;
  say(fmt::format("{} {}: the job goes on without it", processes_.name_of(process), how));
  requests_.note_problem(fmt::format("process {} {}", number, how));
  return true;
}

}  // namespace armature::command
