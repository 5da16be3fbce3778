#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/detail/export.hpp"

// Strategies of load balancing: functions from measured loads to a plan, for everything that can be
// moved. They rely on persistence: what took long lately will do so again. All are deterministic,
// so members that know the same come to the same plan. Where nothing was measured, nothing moves.

namespace armature::balance {

/// Something that can be moved.
struct Item {
  double load = 0;  // seconds of computing since the last time, at a place of speed 1
  int place = 0;    // where it is
};

/// How much two items have to do with each other.
struct Link {
  std::size_t a = 0, b = 0;
  double weight = 0;
};

struct Problem {
  std::vector<Item> items = {};
  std::vector<Link> links = {};
  int places = 1;
  /// The group of each place, such as its node. Empty: all places are one group.
  std::vector<int> groups = {};
  /// How fast each place computes, above 0: such as 0.5 where another program has half of its
  /// processor. What a place has takes load / speed seconds there. Empty: 1 everywhere.
  std::vector<double> speeds = {};
  /// Further groups of places, from the widest to the narrowest, such as those of a switch, a node,
  /// a socket, a cache: each list has the group of each place, and divides the groups of the list
  /// before. `groups` is one of them where it is there, too. Empty: `groups` alone.
  std::vector<std::vector<int>> levels = {};
};

/// The place of each item.
using Plan = std::vector<int>;
using Strategy = std::function<Plan(const Problem&)>;

/// Items stay where they are: none moves.
[[nodiscard]] ARMATURE_API Plan none(const Problem& problem);
/// The longest items go first, each to where it ends soonest: the best balance, and nearly all
/// items move. Where several places are as good, to one with fewest items, which may be where it
/// is. An item that has taken no time stays.
[[nodiscard]] ARMATURE_API Plan greedy(const Problem& problem);
/// Items go from places that take more than 1.03 of the mean to those that take least, as few as
/// that takes.
[[nodiscard]] ARMATURE_API Plan refine(const Problem& problem);
/// Graph partitioning: the weight of links between places is as small as possible, and that between
/// groups smaller still; where there are `levels`, a link costs more the wider apart its ends are.
/// Loads are as equal as refine makes them, or nearly. Moves count as a cost,
/// so few items move where most are well placed. Without links as refine.
[[nodiscard]] ARMATURE_API Plan communication(const Problem& problem);
/// Items move among groups first, as few as that takes, then inside each: level by level, from the
/// widest to the narrowest, where there are `levels`.
[[nodiscard]] ARMATURE_API Plan hierarchical(const Problem& problem);
/// Places exchange loads two by two, along the edges of a hypercube, until none has more than 1.03
/// of the mean or nothing helps any more. Each knows O(log n) loads of others, with n places.
/// Members of an object array do that by messages; here all are simulated in one memory.
[[nodiscard]] ARMATURE_API Plan distributed(const Problem& problem);
/// Whether that strategy is `distributed`.
[[nodiscard]] ARMATURE_API bool is_distributed(const Strategy& strategy);
/// Takes none where moves could gain under 3 %, else refine (hierarchical where there are groups or
/// levels); or greedy where it ends 5 % sooner. Takes communication instead where that ends at most
/// 5 % later and links between places, with moves, cost a quarter less.
[[nodiscard]] ARMATURE_API Plan chosen(const Problem& problem);

/// Finds a strategy by one of the names above. Throws Error(bad_argument) naming them.
[[nodiscard]] ARMATURE_API Strategy strategy(std::string_view name);
[[nodiscard]] ARMATURE_API const std::vector<std::string>& strategy_names();

/// The outcome of a plan, in numbers.
struct Verdict {
  double most = 0;        // seconds of the place that takes most
  double mean = 0;        // seconds if all places ended together: no plan ends sooner
  std::size_t moved = 0;  // items
  double cut = 0;         // weight of links between places
};
/// Throws Error(bad_argument) when the plan is none for the problem.
[[nodiscard]] ARMATURE_API Verdict judge(const Problem& problem, const Plan& plan);

/// One line about what was done, and why, or that nothing was measured: for logs.
[[nodiscard]] ARMATURE_API std::string explain(const Problem& problem, const Plan& plan);

/// A recorded problem, for `armature balance --replay`. Both throw Error(bad_argument) naming the
/// file, and reading the line.
ARMATURE_API void record(const Problem& problem, const std::string& path);
[[nodiscard]] ARMATURE_API Problem replay(const std::string& path);

}  // namespace armature::balance

namespace armature {

/// Options for elements of an object array (object_array/rebalance.hpp) or for ranks
/// (rebalance.hpp).
struct RebalanceOptions {
  /// None: `chosen`; of ranks, the one of `armature run --rebalance-by` (ARMATURE_REBALANCE_BY).
  balance::Strategy strategy = {};
  bool log = false;         // one line by member 0: what was done, and why
  std::string record = {};  // a file for `armature balance --replay`, written by member 0
  /// For ranks alone: moves only when it is due, for a loop that calls this in every step. See
  /// rebalance.hpp.
  bool when_due = false;
};

}  // namespace armature
