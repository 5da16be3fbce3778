#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "armature/rank.hpp"
#include "space/team_block.hpp"

namespace armature::team {

/// The members of a team, in the team's order.
class Members {
 public:
  /// Those of a block. Of the job's team of all, whose block stays and whose members are all ranks
  /// in their order, neither a copy nor a table is made for each rank.
  Members(space::TeamBlock& block, bool are_all);
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  [[nodiscard]] bool are_all() const { return are_all_; }
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] std::span<const std::int32_t> ranks() const { return ranks_; }
  [[nodiscard]] std::int32_t rank(int member) const {
    return ranks_[static_cast<std::size_t>(member)];
  }
  /// The number of a rank among them, or -1.
  [[nodiscard]] int number_of(Rank rank) const;

 private:
  const bool are_all_;
  std::vector<std::int32_t> own_ranks_;
  std::span<const std::int32_t> ranks_;
  std::vector<int> by_rank_;  // members in the order of their ranks, where that is another one
};

}  // namespace armature::team
