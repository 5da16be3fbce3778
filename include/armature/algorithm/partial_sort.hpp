#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "armature/algorithm/apply.hpp"
#include "armature/algorithm/group.hpp"
#include "armature/algorithm/sort.hpp"
#include "armature/container/range.hpp"
#include "armature/container/vector.hpp"

// The smallest elements, sorted: all others go behind them first.
//
// Messages: those of the n-th element in group.hpp, and those of sort.hpp for the smallest.

namespace armature {

/// The n smallest elements come to the beginning, sorted; the others behind them, in no particular
/// order. Throws Error(bad_argument) when n > size().
template <WritableDistributedRange R, class Less = std::less<>>
void partial_sort(R&& range, std::size_t n, Less less = {}) {
  const auto all = range.view();
  const auto smallest = all.slice(0, n);
  if (n > 0 && n < all.size()) (void)nth_element(all, n, std::ref(less));
  sort(smallest, std::ref(less));
}
/// The smallest elements of `in`, sorted, to the beginning of `out`: as many as there is room for,
/// or all. Returns how many.
template <DistributedRange In, WritableDistributedRange Out, class Less = std::less<>>
std::size_t partial_sort_copy(In&& in, Out&& out, Less less = {}) {
  const auto from = in.view();
  const auto to = out.view();
  detail::require_same_members("partial_sort_copy", from, to);
  detail::enter(from, to);
  const std::size_t n = std::min(from.size(), to.size());
  auto elements = distributed_vector<range_value_t<In>>::from_local(from.team(), from.local());
  partial_sort(elements, n, std::ref(less));
  copy(elements.slice(0, n), to);
  return n;
}

}  // namespace armature
