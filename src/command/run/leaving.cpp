#include "command/run/leaving.hpp"

#include <algorithm>
#include <map>

namespace armature::command {

using space::Restart;

std::vector<int> Leaving::choose(const std::vector<int>& asked,
                                 std::optional<std::uint32_t> wanted) const {
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
  const bool is_node_empty =
      std::ranges::any_of(stay, [](const auto& one) { return one.second.empty(); });
  return is_node_empty || (wanted && left < *wanted) ? std::vector<int>() : leaving;
}

/// Ranks read who leaves when they have found `leaving`, and have said that they have begun.
void Leaving::want(const std::vector<int>& leaving) const {
  for (const space::Control& node : job_.nodes()) {
    const auto is_marked = [&](int number) {
      return node.process(number).is_to_leave.load(std::memory_order_relaxed) != 0;
    };
    const auto is_to_leave = [&](int number) { return std::ranges::count(leaving, number) != 0; };
    std::atomic<Restart>& anew = node.header().resize.restart;
    const auto processes = static_cast<int>(node.header().processes);
    bool is_known = anew.load(std::memory_order_relaxed) == Restart::leaving;
    for (int number = 0; number < processes; ++number)
      is_known = is_known && is_marked(number) == is_to_leave(number);
    if (is_known) continue;
    for (Restart before : {Restart::leaving, Restart::wanted})
      anew.compare_exchange_strong(before, Restart::none, std::memory_order_acq_rel);
    if (anew.load(std::memory_order_acquire) != Restart::none) continue;  // they have begun
    for (int number = 0; number < processes; ++number)
      node.process(number).is_to_leave.store(is_to_leave(number) ? 1 : 0,
                                             std::memory_order_relaxed);
    // Release: who sees it sees who leaves.
    anew.store(Restart::leaving, std::memory_order_release);
  }
}

void Leaving::withdraw() const {
  for (const space::Control& node : job_.nodes()) {
    Restart leaving = Restart::leaving;
    node.header().resize.restart.compare_exchange_strong(leaving, Restart::none,
                                                         std::memory_order_acq_rel);
  }
}

bool Leaving::all_nodes_agree() const {
  const std::vector<int> nodes = processes_.living_nodes();
  return std::ranges::all_of(processes_.all(), [&](const LaunchedProcess& process) {
    const int number = processes_.number_of(process);
    const auto knows = [&](int node) { return job_.node(node).process(number).has_left(); };
    return std::ranges::all_of(nodes, knows) || std::ranges::none_of(nodes, knows);
  });
}

}  // namespace armature::command
