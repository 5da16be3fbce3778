#include "command/run/process_changes.hpp"

#include <algorithm>
#include <map>

#include "wait/processes.hpp"

namespace armature::command {

using space::Restart;

std::optional<std::vector<int>> ProcessChanges::choose_those_who_leave(
    const std::vector<int>& asked, std::optional<std::uint32_t> wanted) const {
  std::map<int, std::vector<int>> stay;  // by node
  std::size_t left = 0;
  for (const int number : processes_.hosting()) {
    std::vector<int>& of_node = stay[processes_.at(number).node];
    if (std::ranges::find(asked, number) != asked.end()) continue;
    of_node.push_back(number);
    ++left;
  }
  const auto fewer = [](const auto& one, const auto& other) {
    return one.second.size() <= other.second.size();
  };
  std::vector<int> leaving = asked;
  for (; wanted && left > *wanted; --left) {
    std::vector<int>& most = std::ranges::max_element(stay, fewer)->second;
    leaving.push_back(most.back());
    most.pop_back();
  }
  if (std::ranges::any_of(stay, [](const auto& one) { return one.second.empty(); }))
    return std::nullopt;
  return leaving;
}

/// Ranks read who changes when they have found `change`, and have said that they have begun.
void ProcessChanges::want(const std::vector<int>& changing,
                          space::ProcessSlot::Change change) const {
  for (const space::Control& node : job_.nodes()) {
    const auto wanted_of = [&](int number) {
      return std::ranges::count(changing, number) != 0 ? change : space::ProcessSlot::Change::none;
    };
    const auto is_marked = [&](int number) {
      return node.process(number).is_to_change.load(std::memory_order_relaxed) == wanted_of(number);
    };
    std::atomic<Restart>& anew = node.header().resize.restart;
    const auto processes = static_cast<int>(node.header().processes);
    bool is_known = anew.load(std::memory_order_relaxed) == Restart::change;
    for (int number = 0; number < processes; ++number) is_known = is_known && is_marked(number);
    if (is_known) continue;
    for (Restart before : {Restart::change, Restart::wanted})
      anew.compare_exchange_strong(before, Restart::none, std::memory_order_acq_rel);
    if (anew.load(std::memory_order_acquire) != Restart::none) continue;  // they have begun
    for (int number = 0; number < processes; ++number)
      node.process(number).is_to_change.store(wanted_of(number), std::memory_order_relaxed);
    // Release: who sees it sees who changes.
    anew.store(Restart::change, std::memory_order_release);
  }
}

void ProcessChanges::withdraw() const {
  for (const space::Control& node : job_.nodes()) {
    Restart change = Restart::change;
    node.header().resize.restart.compare_exchange_strong(change, Restart::none,
                                                         std::memory_order_acq_rel);
  }
}

bool ProcessChanges::all_nodes_agree() const {
  const std::vector<int> nodes = processes_.living_nodes();
  return std::ranges::all_of(processes_.all(), [&](const LaunchedProcess& process) {
    const int number = processes_.number_of(process);
    const auto slot = [&](int node) -> const space::ProcessSlot& {
      return job_.node(node).process(number);
    };
    const auto changes = [&](int node) {
      return wait::is_changing(job_.node(node).header().quiesce, slot(node));
    };
    const auto agree = [&](auto says) {
      return std::ranges::all_of(nodes, [&](int node) { return (slot(node).*says)(); }) ||
             std::ranges::none_of(nodes, [&](int node) { return (slot(node).*says)(); });
    };
    return std::ranges::none_of(nodes, changes) && agree(&space::ProcessSlot::has_left) &&
           agree(&space::ProcessSlot::is_to_come);
  });
}

}  // namespace armature::command
