#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "armature/balance.hpp"

namespace armature::balance {

/// A message between groups, such as nodes, takes about so many times what it takes inside one.
inline constexpr int far = 10;
/// A message that goes farther than it would at the next narrower level (Problem::levels), such as
/// to another socket or another switch, takes so many times as long.
inline constexpr int wider = 2;

/// A problem as graph partitioners take it: links as rows of neighbours, each link at both its
/// ends, and in whole numbers. Links of an item with itself, and those without weight, are left
/// out, and what links the same two is one.
class Links {
 public:
  explicit Links(const Problem& problem);

  [[nodiscard]] bool none() const { return to.empty(); }
  /// The cost of a plan: links between places and moves, each by how far apart the places are.
  [[nodiscard]] double cost(const Plan& plan) const;

  std::vector<std::int64_t> first, to, weight, load;
  /// The cost of moving an item: a tenth of the mean link. Little, since it is paid once and links
  /// are paid for as long as the plan lasts; but of two plans alike the one that moves less is
  /// better.
  std::int64_t move_cost = 0;

 private:
  [[nodiscard]] double distance(int a, int b) const;

  const Problem& problem_;
  const bool joins_groups_;
};

}  // namespace armature::balance
