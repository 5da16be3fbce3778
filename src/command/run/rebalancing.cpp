#include "command/run/rebalancing.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "command/run/console.hpp"
#include "world/levels_of_processes.hpp"

namespace armature::command {

Rebalancing::Rebalancing(const LaunchOptions& options, space::Control control)
    : options_(options), control_(control) {
  // On several nodes the program says when.
  if (options_.rebalance_every_s <= 0 || control_.header().nodes > 1) return;
  busy_ns_.resize(control_.header().ranks);
  reset();
}

void Rebalancing::reset() {
  for (std::size_t rank = 0; rank < busy_ns_.size(); ++rank)
    busy_ns_[rank] =
        control_.slot(static_cast<int>(rank)).load.busy_ns.load(std::memory_order_relaxed);
}

std::uint64_t Rebalancing::every_ns() const {
  return static_cast<std::uint64_t>(options_.rebalance_every_s * 1e9);
}

std::uint64_t Rebalancing::next_ns() const {
  const space::ControlHeader& job = control_.header();
  return busy_ns_.empty() ? 0 : job.every.rebalances.due_ns(every_ns(), job.started_ns);
}

/// Places are numbered as the processes stand here. A rank that is in none of them has left the
/// job.
balance::Problem Rebalancing::measure(const std::vector<int>& processes) {
  balance::Problem problem{.places = static_cast<int>(processes.size())};
  problem.levels = hosting::levels_of(control_, processes);
  for (std::size_t rank = 0; rank < busy_ns_.size(); ++rank) {
    const space::RankSlot& slot = control_.slot(static_cast<int>(rank));
    const std::uint64_t now = slot.load.busy_ns.load(std::memory_order_relaxed);
    // The rank has rolled back to an earlier state, where it had computed less.
    const std::uint64_t since = now >= busy_ns_[rank] ? now - busy_ns_[rank] : 0;
    const auto here = std::ranges::find(processes, slot.process.load(std::memory_order_acquire));
    problem.items.push_back(
        {.load = here == processes.end() ? 0 : static_cast<double>(since) * 1e-9,
         .place = here == processes.end() ? 0 : static_cast<int>(here - processes.begin())});
  }
  return problem;
}

/// Says so, or why not.
bool Rebalancing::is_worth_it(const balance::Problem& problem, const balance::Plan& plan) {
  const balance::Verdict before = balance::judge(problem, balance::none(problem)),
                         after = balance::judge(problem, plan);
  const std::string what = balance::explain(problem, plan);
  const double saves_s = before.most - after.most;
  const bool moves = after.moved > 0 && saves_s > cost_s_;
  if (moves)
    say(fmt::format("{}; takes about {:.3g} ms", what, 1e3 * cost_s_));
  else if (after.moved > 0)
    say(fmt::format("balance: nothing moves: that would save {:.3g} ms and take {:.3g} ms ({})",
                    1e3 * saves_s, std::exchange(cost_s_, 0.9 * cost_s_) * 1e3, what));  // for now
  else if (options_.verbose)
    say(what);
  return moves;
}

bool Rebalancing::plan(const std::vector<int>& processes, std::uint64_t now_ns) {
  space::ControlHeader& job = control_.header();
  // The program may have found the same (when_due).
  if (!job.every.rebalances.take(every_ns(), job.started_ns, now_ns)) return false;
  if (processes.size() < 2 || !job.ranks_may_move()) {
    reset();
    return false;
  }
  const balance::Problem problem = measure(processes);
  const balance::Plan plan = balance::strategy(options_.rebalance_by)(problem);
  const bool moves = is_worth_it(problem, plan);
  for (std::size_t rank = 0; moves && rank < plan.size(); ++rank)
    control_.slot(static_cast<int>(rank))
        .load.goes_to.store(processes[static_cast<std::size_t>(plan[rank])],
                            std::memory_order_relaxed);
  reset();
  return moves;
}

void Rebalancing::have_moved(std::uint64_t took_ns, std::uint64_t now_ns) {
  cost_s_ = static_cast<double>(took_ns) * 1e-9;
  control_.header().every.rebalances.last_ns.store(now_ns, std::memory_order_release);
  reset();
}

}  // namespace armature::command
