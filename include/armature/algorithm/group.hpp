#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/algorithm/find.hpp"
#include "armature/collectives.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/range.hpp"
#include "armature/named_call.hpp"

// Algorithms that move elements into groups: all of one group before all of the next, in their old
// order within a group. The range keeps its distribution.
//
// Messages: a meeting, an allgather of counts, and one put for each group and each piece that it
// reaches into. The n-th element takes an allgather and an allreduce for each of about log(n)
// rounds before.

namespace armature {

namespace detail {

/// Collective, after a fence: element e goes to the group group_of(e) of `groups`; those of
/// others are left out. Returns the groups' sizes; what lies behind their end is unspecified.
template <class T, class F>
std::vector<std::size_t> group_elements(const distributed_range<T>& range, std::size_t groups,
                                        F group_of) {
  std::vector<std::vector<T>> mine(groups);
  for (auto& element : range.local()) {
    const std::size_t group = group_of(std::as_const(element));
    if (group < groups) mine[group].push_back(std::move(element));
  }
  const Team& team = range.team();
  std::vector<std::size_t> counts, all(groups * static_cast<std::size_t>(team.size()));
  for (const auto& group : mine) counts.push_back(group.size());
  // All members have taken their elements away when this call returns.
  allgather(team, std::span<const std::size_t>(counts), std::span<std::size_t>(all));

  std::vector<std::size_t> sizes;
  std::size_t at = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = at;
    for (int m = 0; m < team.size(); ++m) {
      if (m == team.rank()) range.write(at, std::span<const T>(mine[group]));
      at += all[static_cast<std::size_t>(m) * groups + group];
    }
    sizes.push_back(at - begin);
  }
  range.fence();
  return sizes;
}

}  // namespace detail

/// Moves the elements for which `first` holds to the front; returns how many. Stable.
template <WritableDistributedRange R, std::predicate<const range_value_t<R>&> P>
std::size_t partition(R&& range, P first) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::partition);
  all.fence();
  return detail::group_elements(
             all, 2,
             [&first](const auto& element) -> std::size_t { return first(element) ? 0 : 1; })
      .front();
}

/// Keeps the first of each run of equal elements, at the beginning; returns how many. What lies
/// behind is unspecified. `equal` must be an equivalence.
template <WritableDistributedRange R, class Equal = std::equal_to<>>
std::size_t unique(R&& range, Equal equal = {}) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::unique);
  all.fence();
  auto before = all.local().empty() ? std::nullopt : all.previous();
  // The neighbour moves it away from here on.
  all.fence();
  return detail::group_elements(all, 1,
                                [&](const auto& element) -> std::size_t {
                                  const bool is_same = before && equal(*before, element);
                                  before = element;
                                  return is_same ? 1 : 0;
                                })
      .front();
}

// -- selection ---------------------------------------------------------------------------------

namespace detail {

/// A value near the middle of all candidates: the weighted median of the members' medians. At
/// least a quarter of the candidates lie on either side, or are equal to it.
template <class T, class Less>
T pivot_of(const Team& team, std::span<T> candidates, Less& less) {
  std::optional<Placed<T>> mine;  // with a weight for an index
  if (!candidates.empty()) {
    const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2);
    std::nth_element(candidates.begin(), middle, candidates.end(), std::ref(less));
    mine = Placed<T>{*middle, candidates.size()};
  }
  std::vector<Placed<T>> medians;
  std::size_t weight = 0;
  for (auto& one : all_values(team, mine)) {
    if (!one) continue;
    weight += one->index;
    medians.push_back(*std::move(one));
  }
  std::sort(medians.begin(), medians.end(),
            [&less](const auto& a, const auto& b) { return less(a.value, b.value); });
  std::size_t i = 0;
  for (std::size_t below = medians[0].index; below * 2 < weight; below += medians[i].index) ++i;
  return medians[i].value;
}

}  // namespace detail

/// The element that would be at index n if the range were sorted; nothing moves. n < size().
template <DistributedRange R, class Less = std::less<>>
[[nodiscard]] range_value_t<R> nth_value(R&& range, std::size_t n, Less less = {}) {
  using T = range_value_t<R>;
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::nth_value);
  if (n >= all.size())
    throw Error(Errc::bad_argument, "nth_value: there is no element " + std::to_string(n) +
                                        " among " + std::to_string(all.size()));
  all.fence();
  std::vector<T> copy(all.local().begin(), all.local().end());
  std::span<T> candidates(copy);
  for (;;) {
    const T pivot = detail::pivot_of(all.team(), candidates, less);
    const auto below = std::partition(candidates.begin(), candidates.end(),
                                      [&](const T& x) { return less(x, pivot); });
    const auto above =
        std::partition(below, candidates.end(), [&](const T& x) { return !less(pivot, x); });
    std::size_t counts[2] = {static_cast<std::size_t>(below - candidates.begin()),
                             static_cast<std::size_t>(above - below)};
    const std::span<T> lower = candidates.first(counts[0]);
    const std::span<T> upper = candidates.subspan(counts[0] + counts[1]);
    allreduce(all.team(), std::span<std::size_t>(counts));
    if (n < counts[0]) {
      candidates = lower;
    } else if (n < counts[0] + counts[1]) {
      return pivot;
    } else {
      n -= counts[0] + counts[1];
      candidates = upper;
    }
  }
}

/// Puts at index n what would be there if the range were sorted. Before it comes what is not
/// greater, behind it what is not less. Returns it. n < size().
template <WritableDistributedRange R, class Less = std::less<>>
range_value_t<R> nth_element(R&& range, std::size_t n, Less less = {}) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::nth_element);
  const auto nth = nth_value(range, n, std::ref(less));
  (void)detail::group_elements(all, 3, [&](const auto& element) -> std::size_t {
    return less(element, nth) ? 0 : less(nth, element) ? 2 : 1;
  });
  return nth;
}

}  // namespace armature
