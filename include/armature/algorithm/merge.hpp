#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/algorithm/in_order.hpp"
#include "armature/collectives.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/range.hpp"

// Algorithms on two sorted ranges. A member treats the values from the first of its piece of `a` to
// the first of the next one's. Both ranges are cut there, before all that is equal, by binary
// search: log(size) elements of others are read for each cut. So no run of equal elements is
// divided, and the results of the members, one behind the other, are the result.
//
// Messages: two meetings and two allgathers. Each member gets about 2 log(n) single elements, two
// sections, and puts one.

namespace armature {

namespace detail {

/// The number of elements of a sorted range that are less than `value`.
template <class T, class V, class Less>
std::size_t count_below(const distributed_range<T>& range, const V& value, Less& less) {
  std::size_t low = 0, high = range.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (less(range.read(middle), value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// My share of two sorted ranges, and where it begins in both together.
template <class T>
struct Share {
  std::vector<T> a, b;
  std::size_t begin = 0;
};

/// Collective, after a fence.
template <class A, class B, class Less>
Share<std::remove_const_t<A>> share_of(const distributed_range<A>& a, const distributed_range<B>& b,
                                       Less& less) {
  const Team& team = a.team();
  const bool has_values = !a.local().empty();
  // My share's beginnings in a and in b. The first share begins at the beginning.
  std::size_t begins[2] = {0, 0};
  if (has_values && a.offset() > 0) {
    begins[0] = count_below(a, a.local().front(), less);
    begins[1] = count_below(b, a.local().front(), less);
  }
  const std::size_t mine[3] = {has_values ? std::size_t{1} : 0, begins[0], begins[1]};
  std::vector<std::size_t> all(3 * static_cast<std::size_t>(team.size()));
  allgather(team, std::span<const std::size_t>(mine), std::span<std::size_t>(all));

  Share<std::remove_const_t<A>> share;
  bool is_first = a.size() == 0 && team.rank() == 0;
  if (!has_values && !is_first) return share;
  std::size_t ends[2] = {a.size(), b.size()};
  for (int m = team.size() - 1; m > team.rank(); --m) {
    const std::size_t* const other = &all[3 * static_cast<std::size_t>(m)];
    if (other[0] != 0) std::copy_n(other + 1, 2, ends);
  }
  share.begin = begins[0] + begins[1];
  share.a = section_of(a, begins[0], ends[0] - begins[0]);
  for (auto& element : section_of(b, begins[1], ends[1] - begins[1]))
    share.b.push_back(static_cast<std::remove_const_t<A>>(std::move(element)));
  return share;
}

/// Collective: `combine` is an algorithm of the standard library on the members' shares.
template <DistributedRange A, DistributedRange B, WritableDistributedRange Out, class Less,
          class Combine>
std::size_t combine_sorted(const char* algorithm, A&& a, B&& b, Out&& out, Less& less,
                           Combine combine) {
  const auto first = a.view();
  const auto second = b.view();
  const auto to = out.view();
  require_same_members(algorithm, first, second);
  require_same_members(algorithm, first, to);
  enter(first, second, to);
  const auto share = share_of(first, second, less);
  std::vector<range_value_t<Out>> result;
  combine(share.a.begin(), share.a.end(), share.b.begin(), share.b.end(),
          std::back_inserter(result), std::ref(less));
  return write_in_order(algorithm, to, result);
}

}  // namespace detail

/// The elements of both, sorted, to the beginning of `out`, which must not overlap them. Equal
/// elements keep their order, those of a first. Throws Error(bad_argument) if `out` is too short.
template <DistributedRange A, DistributedRange B, WritableDistributedRange Out,
          class Less = std::less<>>
std::size_t merge(A&& a, B&& b, Out&& out, Less less = {}) {
  return detail::combine_sorted("merge", a, b, out, less,
                                [](auto... args) { std::merge(args...); });
}
/// Merges [0, middle) and [middle, size()), which are sorted. Stable. middle <= size().
template <WritableDistributedRange R, class Less = std::less<>>
void inplace_merge(R&& range, std::size_t middle, Less less = {}) {
  const auto all = range.view();
  const auto first = all.slice(0, middle), second = all.slice(middle, all.size());
  all.fence();
  const auto share = detail::share_of(first, second, less);
  std::vector<range_value_t<R>> merged;
  std::merge(share.a.begin(), share.a.end(), share.b.begin(), share.b.end(),
             std::back_inserter(merged), std::ref(less));
  all.fence();  // all have read
  all.write(share.begin, std::span<const range_value_t<R>>(merged));
  all.fence();
}

// -- sets of sorted elements, in which a value may be several times, as in the standard library.
// The result is written to the beginning of `out`, which must not overlap the others. They return
// how many elements it has, and throw Error(bad_argument) if `out` is too short.
template <DistributedRange A, DistributedRange B, WritableDistributedRange Out,
          class Less = std::less<>>
std::size_t set_union(A&& a, B&& b, Out&& out, Less less = {}) {
  return detail::combine_sorted("set_union", a, b, out, less,
                                [](auto... args) { std::set_union(args...); });
}
template <DistributedRange A, DistributedRange B, WritableDistributedRange Out,
          class Less = std::less<>>
std::size_t set_intersection(A&& a, B&& b, Out&& out, Less less = {}) {
  return detail::combine_sorted("set_intersection", a, b, out, less,
                                [](auto... args) { std::set_intersection(args...); });
}
template <DistributedRange A, DistributedRange B, WritableDistributedRange Out,
          class Less = std::less<>>
std::size_t set_difference(A&& a, B&& b, Out&& out, Less less = {}) {
  return detail::combine_sorted("set_difference", a, b, out, less,
                                [](auto... args) { std::set_difference(args...); });
}
template <DistributedRange A, DistributedRange B, WritableDistributedRange Out,
          class Less = std::less<>>
std::size_t set_symmetric_difference(A&& a, B&& b, Out&& out, Less less = {}) {
  return detail::combine_sorted("set_symmetric_difference", a, b, out, less,
                                [](auto... args) { std::set_symmetric_difference(args...); });
}
/// Whether a has each element of b, as often at least.
template <DistributedRange A, DistributedRange B, class Less = std::less<>>
[[nodiscard]] bool includes(A&& a, B&& b, Less less = {}) {
  const auto first = a.view();
  const auto second = b.view();
  detail::require_same_members("includes", first, second);
  detail::enter(first, second);
  const auto share = detail::share_of(first, second, less);
  return allreduce(
      first.team(),
      std::includes(share.a.begin(), share.a.end(), share.b.begin(), share.b.end(), std::ref(less)),
      std::logical_and<>());
}

}  // namespace armature
