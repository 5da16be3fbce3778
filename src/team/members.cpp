#include "team/members.hpp"

#include <algorithm>
#include <numeric>

namespace armature::team {

Members::Members(space::TeamBlock& block, bool are_all) : are_all_(are_all) {
  if (are_all_) {
    ranks_ = {block.ranks(), block.size};
    return;
  }
  own_ranks_.assign(block.ranks(), block.ranks() + block.size);
  ranks_ = own_ranks_;
  if (std::ranges::is_sorted(ranks_)) return;
  by_rank_.resize(ranks_.size());
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  std::ranges::sort(by_rank_, {}, [&](int member) { return rank(member); });
}

int Members::number_of(Rank wanted) const {
  if (are_all_) return wanted >= 0 && wanted < size() ? static_cast<int>(wanted) : -1;
  if (by_rank_.empty()) {
    const auto found = std::ranges::lower_bound(ranks_, static_cast<int>(wanted));
    return found != ranks_.end() && *found == wanted ? static_cast<int>(found - ranks_.begin())
                                                     : -1;
  }
  const auto found = std::ranges::lower_bound(by_rank_, static_cast<int>(wanted), {},
                                              [&](int member) { return rank(member); });
  return found != by_rank_.end() && rank(*found) == wanted ? *found : -1;
}

}  // namespace armature::team
