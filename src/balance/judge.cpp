#include <cmath>
#include <string>

#include <fmt/format.h>

#include "balance/loads.hpp"
#include "base/fail.hpp"

namespace armature::balance {

using std::string_literals::operator""s;

void check(const Problem& problem) {
  const auto wrong = [](const std::string& what) {
    base::fail(Errc::bad_argument, "balance: " + what);
  };
  if (problem.places < 1) wrong(fmt::format("{} places", problem.places));
  if (!problem.groups.empty() && problem.groups.size() != static_cast<std::size_t>(problem.places))
    wrong(fmt::format("{} places, and groups of {}", problem.places, problem.groups.size()));
  for (const std::vector<int>& level : problem.levels)
    if (level.size() != static_cast<std::size_t>(problem.places))
      wrong(fmt::format("{} places, and a level with groups of {}", problem.places, level.size()));
  if (!problem.speeds.empty() && problem.speeds.size() != static_cast<std::size_t>(problem.places))
    wrong(fmt::format("{} places, and speeds of {}", problem.places, problem.speeds.size()));
  for (const double speed : problem.speeds)
    if (!std::isfinite(speed) || speed <= 0)
      wrong(fmt::format("a place with a speed of {}", speed));
  for (const Item& item : problem.items)
    if (item.place < 0 || item.place >= problem.places || !std::isfinite(item.load) ||
        item.load < 0)
      wrong(fmt::format("an item with a load of {} at place {} of {}", item.load, item.place,
                        problem.places));
  for (const Link& link : problem.links)
    if (link.a >= problem.items.size() || link.b >= problem.items.size())
      wrong(fmt::format("a link between items {} and {} of {}", link.a, link.b,
                        problem.items.size()));
}

Verdict judge(const Problem& problem, const Plan& plan) {
  check(problem);
  if (plan.size() != problem.items.size())
    base::fail(Errc::bad_argument, fmt::format("balance: a plan for {} items, where there are {}",
                                               plan.size(), problem.items.size()));
  for (const int place : plan)
    if (place < 0 || place >= problem.places)
      base::fail(Errc::bad_argument,
                 fmt::format("balance: a plan with place {} of {}", place, problem.places));
  const Loads loads(problem, plan);
  Verdict verdict{.most = loads.of(loads.most()), .mean = loads.mean()};
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (plan[i] != problem.items[i].place) ++verdict.moved;
  for (const Link& link : problem.links)
    if (plan[link.a] != plan[link.b]) verdict.cut += link.weight;
  return verdict;
}

std::string explain(const Problem& problem, const Plan& plan) {
  const Verdict before = judge(problem, none(problem)), after = judge(problem, plan);
  const auto share = [](const Verdict& one) {
    return one.most > 0 ? 100 * one.mean / one.most : 100;
  };
  if (before.mean <= 0 && !plan.empty())
    return fmt::format("balance: {} of {} on {} places: nothing was measured of what they compute",
                       after.moved == 0 ? "nothing moves"s : fmt::format("{} move", after.moved),
                       plan.size(), problem.places);
  if (after.moved == 0)
    return fmt::format("balance: nothing moves of {} on {} places: {:.0f} % of ideal", plan.size(),
                       problem.places, share(before));
  return fmt::format(
      "balance: {} of {} move, {:.0f} % of ideal before, {:.0f} % after: the most that a place has "
      "goes from {:.3g} to {:.3g} s (mean {:.3g}), links between places from {:.3g} to {:.3g}",
      after.moved, plan.size(), share(before), share(after), before.most, after.most, after.mean,
      before.cut, after.cut);
}

}  // namespace armature::balance
