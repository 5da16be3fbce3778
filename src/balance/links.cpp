#include "balance/links.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace armature::balance {
namespace {

struct End {
  std::size_t from = 0, to = 0;
  double weight = 0;
};

/// Weights as shares of the largest one, so that no sum of them is too large.
std::vector<End> ends(const Problem& problem) {
  double most = 0;
  for (const Link& link : problem.links)
    if (std::isfinite(link.weight)) most = std::max(most, link.weight);
  std::vector<End> all;
  for (const Link& link : problem.links) {
    if (link.a == link.b || !std::isfinite(link.weight) || link.weight <= 0) continue;
    all.push_back({link.a, link.b, link.weight / most});
    all.push_back({link.b, link.a, link.weight / most});
  }
  // Equal ones stay in their order: sums at both ends of a link are to be the same to the last bit.
  std::ranges::stable_sort(all, [](const End& one, const End& other) {
    return one.from != other.from ? one.from < other.from : one.to < other.to;
  });
  std::size_t kept = 0;
  for (const End& end : all) {
    if (kept > 0 && all[kept - 1].from == end.from && all[kept - 1].to == end.to)
      all[kept - 1].weight += end.weight;
    else
      all[kept++] = end;
  }
  all.resize(kept);
  return all;
}

std::int64_t whole(double value, double mean, std::int64_t of_mean) {
  return std::max<std::int64_t>(1, std::llround(value / mean * static_cast<double>(of_mean)));
}

/// Makes loads whole: at least 1 each, also of those that computed nothing: partitioners divide by
/// sums of them.
std::vector<std::int64_t> whole_loads(const Problem& problem) {
  double most = 0, sum = 0;
  for (const Item& item : problem.items) most = std::max(most, item.load);
  if (most <= 0) return std::vector<std::int64_t>(problem.items.size(), 1);
  for (const Item& item : problem.items) sum += item.load / most;
  std::vector<std::int64_t> all;
  for (const Item& item : problem.items) all.push_back(whole(item.load / most, sum, 1 << 30));
  return all;
}

/// Whether a group of the widest level has several of the problem's groups.
bool joins_groups(const Problem& problem) {
  if (problem.levels.empty() || problem.groups.empty()) return false;
  std::map<int, int> inside;
  for (std::size_t place = 0; place < problem.groups.size(); ++place) {
    const int group = problem.groups[place];
    if (inside.try_emplace(problem.levels.front()[place], group).first->second != group)
      return true;
  }
  return false;
}

}  // namespace

Links::Links(const Problem& problem)
    : load(whole_loads(problem)), problem_(problem), joins_groups_(joins_groups(problem)) {
  constexpr std::int64_t of_mean = 1000;
  const std::vector<End> all = ends(problem);
  const double mean = std::accumulate(all.begin(), all.end(), 0.0,
                                      [](double sum, const End& end) { return sum + end.weight; }) /
                      static_cast<double>(std::max<std::size_t>(1, all.size()));
  first.assign(problem.items.size() + 1, 0);
  for (const End& end : all) {
    ++first[end.from + 1];
    to.push_back(static_cast<std::int64_t>(end.to));
    weight.push_back(whole(end.weight, mean, of_mean));
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  move_cost = of_mean / 10;
}

double Links::distance(int a, int b) const {
  if (a == b) return 0;
  const auto differs = [&](const std::vector<int>& groups) {
    return groups[static_cast<std::size_t>(a)] != groups[static_cast<std::size_t>(b)];
  };
  const bool is_far = !problem_.groups.empty() && differs(problem_.groups);
  if (problem_.levels.empty()) return is_far ? far : 1;
  // Groups that differ do so at all narrower levels, too, and may do so at wider ones.
  const bool is_wider =
      is_far ? joins_groups_ && differs(problem_.levels.front()) : differs(problem_.levels.back());
  return (is_far ? far : 1) * (is_wider ? wider : 1);
}

double Links::cost(const Plan& plan) const {
  double both_ends = 0, moves = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    moves += distance(problem_.items[i].place, plan[i]) * static_cast<double>(move_cost);
    for (auto at = static_cast<std::size_t>(first[i]); at < static_cast<std::size_t>(first[i + 1]);
         ++at)
      both_ends += distance(plan[i], plan[static_cast<std::size_t>(to[at])]) *
                   static_cast<double>(weight[at]);
  }
  return both_ends / 2 + moves;
}

}  // namespace armature::balance
