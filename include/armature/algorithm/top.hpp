#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/range.hpp"

// The few elements that come first in an order, for every member.
//
// Messages: a meeting, and an allgather of each member's first ones.

namespace armature {

/// The first `count` elements if the range were sorted by `before`, in that order: the largest,
/// unless another order is given. All of them where there are fewer. Nothing moves. Of equal
/// elements those of smaller indices come first.
template <DistributedRange R, class Before = std::greater<>>
[[nodiscard]] std::vector<range_value_t<R>> top(R&& range, std::size_t count, Before before = {}) {
  const auto all = range.view();
  all.fence();
  std::vector<range_value_t<R>> mine(all.local().begin(), all.local().end());
  // A piece is in the order of indices, and so are the pieces.
  const auto choose = [&](std::vector<range_value_t<R>>& from) {
    std::stable_sort(from.begin(), from.end(), std::ref(before));
    if (from.size() > count)
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(count), from.end());
  };
  choose(mine);
  std::vector<range_value_t<R>> chosen;
  for (auto& some : detail::all_values(all.team(), mine))
    std::ranges::move(some, std::back_inserter(chosen));
  choose(chosen);
  return chosen;
}

}  // namespace armature
