#include "command/run/recovery.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/run/console.hpp"
#include "wait/processes.hpp"

namespace armature::command {

/// Without any of those that are lost.
bool Recovery::has_gone_on(int node) const {
  const space::Control& control = job_.node(node);
  return !control.header().quiesce.is_to_reconfigure() &&
         std::ranges::all_of(processes_.all(), [&](const LaunchedProcess& process) {
           return !process.lost || wait::is_gone(control.process(processes_.number_of(process)));
         });
}

std::vector<int> Recovery::alive_but(const LaunchedProcess& process) const {
  std::vector<int> alive;
  for (const LaunchedProcess& other : processes_.all())
    if (&other != &process && other.alive && !other.lost)
      alive.push_back(processes_.number_of(other));
  return alive;
}

/// Empty when it can, in some of the processes that are left.
std::string Recovery::why_not(const std::vector<int>& left) const {
  const auto joined = [](const space::Control& node) { return node.header().all_have_joined(); };
  const auto has_copy = [](const space::Control& node) {
    return node.header().quiesce.copy.load(std::memory_order_acquire) != 0;
  };
  if (!std::ranges::all_of(job_.nodes(), joined) || std::ranges::none_of(job_.nodes(), has_copy))
    return "there is no checkpoint in memory yet";
  const space::ControlHeader& job = job_.header();
  const bool is_one_node = job_.nodes().size() == 1;
  if (is_one_node && job.here.finished.load(std::memory_order_acquire) >= job.ranks)
    return "all ranks have ended";
  const bool some_go_on = std::ranges::any_of(left, [&](int number) {
    const space::ProcessSlot& slot = job_.control().process(number);
    return !is_one_node || slot.belongs(job.quiesce.epoch.wanted) ||
           wait::is_to_leave(job.quiesce, slot);
  });
  return some_go_on ? "" : "no process is left";
}

void Recovery::recover(LaunchedProcess& process, const std::string& who, const Ending& ending) {
  const std::vector<int> left = alive_but(process);
  if (const std::string why = why_not(left); !why.empty()) {
    reports_.report(who,
                    {ending.status, false,
                     fmt::format("{}, and the job cannot go on without it: {}", ending.how, why)},
                    "");
    return reports_.lose(process, ending);
  }
  process.lost = true;
  recovering_since_ns_ = base::now_ns();
  const space::Control& node = processes_.node_of(process);
  // A simulation has a clock of its own: there the node hears of it when the seed says so.
  if (job_.header().simulation.on != 0) {
    output_.pass_on();
    return say(
        fmt::format("{} {}: all ranks go back to the checkpoint in memory", who, ending.how));
  }
  wait::roll_back_without(node, processes_.number_of(process), left);
  output_.pass_on();
  const auto age_ns =
      base::now_ns() - node.header().every.copies.last_ns.load(std::memory_order_relaxed);
  say(fmt::format("{} {}: all ranks go back to the checkpoint in memory of {:.3f} s ago", who,
                  ending.how, static_cast<double>(age_ns) * 1e-9));
}

bool Recovery::have_gone_back_without(LaunchedProcess& process) {
  const int number = processes_.number_of(process);
  const auto knows = [number](const space::Control& node) {
    const space::QuiesceState& quiesce = node.header().quiesce;
    const std::uint32_t reconfigured = quiesce.epoch.entered.load(std::memory_order_acquire);
    return reconfigured != 0 &&
           reconfigured == quiesce.epoch.wanted.load(std::memory_order_acquire) &&
           wait::is_lost(node.process(number));
  };
  if (!job_.recovers_on_nodes() || std::ranges::none_of(job_.nodes(), knows)) return false;
  process.lost = true;
  restarting_.begin_once_more();
  say(fmt::format("{} was killed: all ranks go back to the checkpoint in memory, and have done so",
                  processes_.name_of(process)));
  return true;
}

void Recovery::look() {
  if (job_.recovers_on_nodes()) return look_at_nodes();
  if (is_under_way() && !job_.is_reconfiguring()) have_recovered();
}

void Recovery::have_recovered() {
  const auto took_ns = base::now_ns() - std::exchange(recovering_since_ns_, 0);
  if (job_.options().tells_times())
    say(fmt::format("all ranks go on, {:.1f} ms after the death was noticed",
                    static_cast<double>(took_ns) * 1e-6));
}

/// The nodes find out together whether they can roll back.
void Recovery::look_at_nodes() {
  if (!is_under_way() || shutdown_.is_ending()) return;
  const std::vector<int> nodes = processes_.living_nodes();
  const auto quiesce = [&](int node) -> space::QuiesceState& {
    return job_.node(node).header().quiesce;
  };
  for (const int node : nodes) {
    if (quiesce(node).epoch.beyond_recovery.load(std::memory_order_acquire) == 0) continue;
    say_headline(fmt::format("the job cannot go on: {}", std::string(quiesce(node).problem)));
    shutdown_.fail(128 + SIGKILL);
    shutdown_.note_kill();
    return shutdown_.end_job();
  }
  if (nodes.empty() || !std::ranges::all_of(nodes, [&](int node) { return has_gone_on(node); }))
    return;
  restarting_.begin_once_more();
  have_recovered();
}

}  // namespace armature::command
