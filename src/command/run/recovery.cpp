// A process of virtual ranks that was killed from outside takes with it what its ranks had on the
// processor, but not their memory, which is the node's. So all ranks go back to the last checkpoint
// in memory, in the processes that are left; see virtual/checkpoint/regroup.cpp. A rank that ends
// itself, by an exception or a crash of its own, would do so again: that ends the job.
#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/explain/observe.hpp"
#include "command/run/console.hpp"
#include "command/run/running_job.hpp"
#include "wait/processes.hpp"

namespace armature::command {

bool RunningJob::recovers_on_nodes() const {
  return wait::recovers_on_nodes(of_nodes_.front().header());
}

int RunningJob::lost_processes() const {
  return static_cast<int>(
      std::ranges::count_if(processes_, [](const Process& process) { return process.lost; }));
}

/// Those with a process that is left.
std::vector<int> RunningJob::living_nodes() const {
  std::vector<int> nodes;
  for (const Process& process : processes_)
    if (process.alive && !process.lost && (nodes.empty() || nodes.back() != process.node))
      nodes.push_back(process.node);
  return nodes;
}

/// Empty when it can.
std::string RunningJob::why_not_recover(const Process& process) const {
  const auto joined = [](const space::Control& node) { return node.header().all_have_joined(); };
  const auto has_copy = [](const space::Control& node) {
    return node.header().halt.copy.load(std::memory_order_acquire) != 0;
  };
  if (!std::ranges::all_of(of_nodes_, joined) || std::ranges::none_of(of_nodes_, has_copy))
    return "there is no checkpoint in memory yet";
  const space::ControlHeader& job = control_.header();
  if (of_nodes_.size() == 1 && job.through.load(std::memory_order_acquire) >= job.ranks)
    return "all ranks have ended";
  for (const Process& other : processes_)
    if (&other != &process && other.alive && !other.lost &&
        (of_nodes_.size() > 1 ||
         control_.process(static_cast<int>(&other - processes_.data())).belongs(job.halt.regroup)))
      return "";
  return "no process is left";
}

void RunningJob::recover(Process& process, const std::string& who, const Ending& ending) {
  if (const std::string why = why_not_recover(process); !why.empty()) {
    report(who,
           {ending.status, false,
            fmt::format("{}, and the job cannot go on without it: {}", ending.how, why)},
           "");
    return lose(process, ending);
  }
  process.lost = true;
  recovering_since_ns_ = base::now_ns();
  const auto place = static_cast<int>(&process - processes_.data());
  const space::Control& node = of_nodes_[static_cast<std::size_t>(process.node)];
  // In a simulation, which has a clock of its own, its node hears of it when the seed says so.
  if (control_.header().simulated != 0) {
    labels_.pass_on();
    return say(
        fmt::format("{} {}: all ranks go back to the checkpoint in memory", who, ending.how));
  }
  wait::go_back_without(node, place);
  labels_.pass_on();
  const auto age_ns = base::now_ns() - node.header().copies.last_ns.load(std::memory_order_relaxed);
  say(fmt::format("{} {}: all ranks go back to the checkpoint in memory of {:.3f} s ago", who,
                  ending.how, static_cast<double>(age_ns) * 1e-9));
}

/// On several nodes they may have done so, and even have ended, before we hear of a death.
bool RunningJob::have_gone_back_without(Process& process) {
  const auto number = static_cast<int>(&process - processes_.data());
  const auto knows = [number](const space::Control& node) {
    const space::Halt& halt = node.header().halt;
    const std::uint32_t regrouped = halt.regrouped.load(std::memory_order_acquire);
    return regrouped != 0 && regrouped == halt.regroup.load(std::memory_order_acquire) &&
           wait::is_lost(node.process(number));
  };
  if (!recovers_on_nodes() || std::ranges::none_of(of_nodes_, knows)) return false;
  process.lost = true;
  begin_anew_once_more();
  say(fmt::format("{} was killed: all ranks go back to the checkpoint in memory, and have done so",
                  name_of(process)));
  return true;
}

void RunningJob::watch_recovery() {
  if (recovers_on_nodes()) return watch_recovery_on_nodes();
  if (recovering_since_ns_ != 0 && !is_regrouping()) have_recovered();
}

void RunningJob::have_recovered() {
  const auto took_ns = base::now_ns() - std::exchange(recovering_since_ns_, 0);
  if (options_.verbose)
    say(fmt::format("all ranks go on, {:.1f} ms after the death was noticed",
                    static_cast<double>(took_ns) * 1e-6));
}

/// What it cannot do the nodes find out together.
void RunningJob::watch_recovery_on_nodes() {
  if (recovering_since_ns_ == 0 || ending_) return;
  const std::vector<int> nodes = living_nodes();
  const auto halt = [&](int node) -> space::Halt& {
    return of_nodes_[static_cast<std::size_t>(node)].header().halt;
  };
  for (const int node : nodes) {
    if (halt(node).beyond_recovery.load(std::memory_order_acquire) == 0) continue;
    say_headline(fmt::format("the job cannot go on: {}", std::string(halt(node).problem)));
    if (!failure_) failure_ = 128 + SIGKILL;
    was_killed_ = true;
    return end_job();
  }
  const auto lost = static_cast<std::uint32_t>(lost_processes());
  if (nodes.empty() || !std::ranges::all_of(nodes, [&](int node) {
        return halt(node).regrouped.load(std::memory_order_acquire) == lost;
      }))
    return;
  begin_anew_once_more();
  have_recovered();
}

/// By the node that has come furthest: one that is lost has not gone back with the others, and what
/// it says of ranks does not hold any more. One whose processes have all ended is as good as any.
void RunningJob::follow_living_ranks() {
  const space::Control* known = &of_nodes_.front();
  std::pair<std::uint32_t, std::uint32_t> times;
  for (const space::Control& node : of_nodes_) {
    const space::Halt& halt = node.header().halt;
    const std::pair now(halt.regrouped.load(std::memory_order_acquire),
                        halt.over.load(std::memory_order_acquire));
    if (now > times) {
      times = now;
      known = &node;
    }
  }
  const std::uint32_t both = (times.first << 16) + times.second;
  if (std::exchange(followed_, both) == both) return;
  for (int rank = 0; rank < static_cast<int>(known->header().ranks); ++rank) {
    const auto node = static_cast<std::size_t>(known->slot(rank).node);
    (void)show_slot(control_, rank, memory_[node].control.get(), true);
  }
  bring_requests_after(living_nodes());
}

}  // namespace armature::command
