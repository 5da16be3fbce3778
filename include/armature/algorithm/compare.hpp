#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "armature/algorithm/aligned.hpp"
#include "armature/algorithm/in_order.hpp"
#include "armature/collectives.hpp"
#include "armature/container/range.hpp"

// Algorithms that compare two ranges, or each element with another one of its range. Every member
// gets the result. Where ranges are divided differently, members fetch what they lack as one
// section.
//
// Messages: a meeting and one allreduce. Where ranges are divided differently, one get for each
// piece that a member's own reaches into.

namespace armature {

namespace detail {

/// Collective: the first index i with differs(a[i], b[i]), for ranges of the same size.
template <class A, class B, class F>
std::size_t first_difference(const distributed_range<A>& a, const distributed_range<B>& b,
                             F differs) {
  enter(a, b);
  const Aligned others(b, a);
  auto other = others.elements().begin();
  std::size_t index = a.offset();
  for (const auto& element : a.local()) {
    if (differs(element, *other++)) return index;
    ++index;
  }
  return SIZE_MAX;
}

}  // namespace detail

/// The first index at which the ranges differ, or at which the shorter one ends; none if they are
/// equal.
template <DistributedRange A, DistributedRange B, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> mismatch(A&& a, B&& b, Equal equal = {}) {
  const auto first = a.view();
  const auto second = b.view();
  detail::require_same_members("mismatch", first, second);
  const std::size_t n = std::min(first.size(), second.size());
  const std::size_t mine =
      detail::first_difference(first.slice(0, n), second.slice(0, n),
                               [&equal](const auto& x, const auto& y) { return !equal(x, y); });
  const auto found = detail::first_of_all(first.team(), mine);
  return found || first.size() == second.size() ? found : std::optional(n);
}
/// Whether they have the same size and equal elements.
template <DistributedRange A, DistributedRange B, class Equal = std::equal_to<>>
[[nodiscard]] bool equal(A&& a, B&& b, Equal is_equal = {}) {
  const auto first = a.view();
  const auto second = b.view();
  detail::require_same_members("equal", first, second);
  return first.size() == second.size() && !armature::mismatch(first, second, std::ref(is_equal));
}
/// Whether a comes before b in the order of dictionaries.
template <DistributedRange A, DistributedRange B, class Less = std::less<>>
[[nodiscard]] bool lexicographical_compare(A&& a, B&& b, Less less = {}) {
  const auto first = a.view();
  const auto second = b.view();
  detail::require_same_members("lexicographical_compare", first, second);
  const std::size_t n = std::min(first.size(), second.size());
  bool is_less = false;
  const std::size_t mine = detail::first_difference(first.slice(0, n), second.slice(0, n),
                                                    [&](const auto& x, const auto& y) {
                                                      is_less = less(x, y);
                                                      return is_less || less(y, x);
                                                    });
  // An index is below 2^63: the last bit tells what was found there.
  const auto found = detail::first_of_all(
      first.team(), mine == SIZE_MAX ? SIZE_MAX : 2 * mine + (is_less ? 0 : 1));
  return found ? *found % 2 == 0 : first.size() < second.size();
}

/// The first i for which equal(range[i], range[i + 1]).
template <DistributedRange R, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> adjacent_find(R&& range, Equal equal = {}) {
  const auto all = range.view();
  all.fence();
  const auto mine = all.local();
  const auto next = mine.empty() ? std::nullopt : all.next();
  const auto at = std::adjacent_find(mine.begin(), mine.end(), std::ref(equal));
  std::size_t index = SIZE_MAX;
  if (at != mine.end())
    index = all.offset() + static_cast<std::size_t>(at - mine.begin());
  else if (next && equal(mine.back(), *next))
    index = all.offset() + mine.size() - 1;
  return detail::first_of_all(all.team(), index);
}

/// How many elements at the beginning are sorted.
template <DistributedRange R, class Less = std::less<>>
[[nodiscard]] std::size_t is_sorted_until(R&& range, Less less = {}) {
  const auto all = range.view();
  const auto at =
      adjacent_find(all, [&less](const auto& x, const auto& behind) { return less(behind, x); });
  return at ? *at + 1 : all.size();
}
template <DistributedRange R, class Less = std::less<>>
[[nodiscard]] bool is_sorted(R&& range, Less less = {}) {
  const auto all = range.view();
  return is_sorted_until(all, std::ref(less)) == all.size();
}

/// Whether all elements for which `first` holds come before all others.
template <DistributedRange R, std::predicate<const range_value_t<R>&> P>
[[nodiscard]] bool is_partitioned(R&& range, P first) {
  const auto all = range.view();
  all.fence();
  std::size_t index = all.offset(), first_other = SIZE_MAX, behind_last = 0;
  for (const auto& element : all.local()) {
    if (first(element))
      behind_last = index + 1;
    else
      first_other = std::min(first_other, index);
    ++index;
  }
  const std::size_t other = allreduce(all.team(), first_other, Minimum());
  return allreduce(all.team(), behind_last, Maximum()) <= other;
}

/// How many elements at the beginning are a heap, as std::is_heap_until has it.
template <DistributedRange R, class Less = std::less<>>
[[nodiscard]] std::size_t is_heap_until(R&& range, Less less = {}) {
  const auto all = range.view();
  all.fence();
  const auto mine = all.local();
  std::size_t found = SIZE_MAX;
  const std::size_t begin = std::max<std::size_t>(all.offset(), 1);
  const std::size_t end = all.offset() + mine.size();
  if (begin < end) {
    const std::size_t first_parent = (begin - 1) / 2;
    const auto parents = detail::section_of(all, first_parent, (end - 2) / 2 - first_parent + 1);
    for (std::size_t i = begin; i < end && found == SIZE_MAX; ++i)
      if (less(parents[(i - 1) / 2 - first_parent], mine[i - all.offset()])) found = i;
  }
  return detail::first_of_all(all.team(), found).value_or(all.size());
}
template <DistributedRange R, class Less = std::less<>>
[[nodiscard]] bool is_heap(R&& range, Less less = {}) {
  const auto all = range.view();
  return is_heap_until(all, std::ref(less)) == all.size();
}

}  // namespace armature
