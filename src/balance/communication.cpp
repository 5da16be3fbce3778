// Chooses of several plans the one that costs least in links between places and in moves. Graph
// partitioning sees the whole and cuts much less than a method that looks at one item after the
// other. That in turn finds the few moves that are enough where all was well.
#include <cmath>

#include "balance/candidates.hpp"
#include "balance/loads.hpp"

namespace armature::balance {
namespace {

class Choice {
 public:
  Choice(const Problem& problem, const Links& links, Plan first)
      : problem_(problem), links_(links), plan_(std::move(first)) {
    const Loads loads(problem, plan_);
    mean_ = loads.mean();
    item_ = loads.all() / static_cast<double>(plan_.size() + 1);
    least_most_ = std::max(mean_ * tolerance, loads.of(loads.most()));
    cost_ = links.cost(plan_);
  }

  /// An item more than the mean is allowed, else coarse items could not be joined at all. But as
  /// much longer as the place with the most computes, so much less must the plan cost.
  void offer(Plan plan) {
    const Loads loads(problem_, plan);
    const double most = loads.of(loads.most());
    if (most > std::max(least_most_, mean_ + item_) * (1 + 1e-9)) return;
    const double cost = links_.cost(plan) * std::max(1.0, most / least_most_);
    if (cost >= cost_) return;
    cost_ = cost;
    plan_ = std::move(plan);
  }

  [[nodiscard]] Plan take() && { return std::move(plan_); }

 private:
  const Problem& problem_;
  const Links& links_;
  Plan plan_;
  double cost_ = 0, mean_ = 0, least_most_ = 0, item_ = 0;
};

/// Partitions are made as if all places were of one speed; then few items go where they end sooner.
Plan refined(const Problem& problem, const Plan& plan) {
  Problem next{.places = problem.places, .speeds = problem.speeds};
  for (std::size_t i = 0; i < plan.size(); ++i)
    next.items.push_back({.load = problem.items[i].load, .place = plan[i]});
  return refine(next);
}

}  // namespace

Plan communication(const Problem& problem) {
  Plan balanced = refine(problem);
  const double all = Loads(problem, balanced).mean();
  // Loads whose sum is no number, and none at all, say nothing of where items should be.
  if (problem.places == 1 || !std::isfinite(all) || all <= 0) return balanced;
  const Links links(problem);
  if (links.none()) return balanced;
  Choice choice(problem, links, std::move(balanced));
  choice.offer(pulled(problem));
  for (Plan& plan : partitioned(problem, links)) {
    if (!problem.speeds.empty()) choice.offer(refined(problem, plan));
    choice.offer(std::move(plan));
  }
  return std::move(choice).take();
}

}  // namespace armature::balance
