#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/algorithm/group.hpp"
#include "armature/algorithm/in_order.hpp"
#include "armature/container/range.hpp"

// Algorithms that keep some elements, in their order. Each member chooses among those of its piece,
// the counts tell where they go, and each member writes its own there as one section.
//
// Messages: a meeting, an allgather of counts, and one put for each piece that a member's elements
// reach into.

namespace armature {

namespace detail {

/// Collective: the elements of `from` that are kept become the beginning of `to`.
template <class T, class U, class Keep>
std::size_t keep_some(const char* algorithm, const distributed_range<T>& from,
                      const distributed_range<U>& to, Keep keep) {
  std::vector<U> kept;
  for (const auto& element : from.local())
    if (keep(element)) kept.push_back(static_cast<U>(element));
  return write_in_order(algorithm, to, kept);
}

}  // namespace detail

/// The elements of `in` for which `wanted` holds to the beginning of `out`, which must not overlap
/// it. Returns how many. Throws Error(bad_argument) if it is too short.
template <DistributedRange In, WritableDistributedRange Out,
          std::predicate<const range_value_t<In>&> P>
std::size_t copy_if(In&& in, Out&& out, P wanted) {
  const auto from = in.view();
  const auto to = out.view();
  detail::require_same_members("copy_if", from, to);
  detail::enter(from, to);
  return detail::keep_some("copy_if", from, to, std::ref(wanted));
}
/// The elements of `in` for which `unwanted` does not hold.
template <DistributedRange In, WritableDistributedRange Out,
          std::predicate<const range_value_t<In>&> P>
std::size_t remove_copy_if(In&& in, Out&& out, P unwanted) {
  return copy_if(in, out, std::not_fn(std::ref(unwanted)));
}
template <DistributedRange In, WritableDistributedRange Out>
std::size_t remove_copy(In&& in, Out&& out, const range_value_t<In>& value) {
  return copy_if(in, out, [&value](const auto& element) { return !(element == value); });
}

/// Keeps the elements for which `unwanted` does not hold, at the beginning; returns how many. What
/// lies behind is unspecified.
template <WritableDistributedRange R, std::predicate<const range_value_t<R>&> P>
std::size_t remove_if(R&& range, P unwanted) {
  const auto all = range.view();
  all.fence();
  return detail::group_elements(
             all, 1,
             [&unwanted](const auto& element) -> std::size_t { return unwanted(element) ? 1 : 0; })
      .front();
}
template <WritableDistributedRange R>
std::size_t remove(R&& range, const range_value_t<R>& value) {
  return remove_if(range, [&value](const auto& element) { return element == value; });
}

/// The first of each run of equal elements of `in`, to the beginning of `out`, which must not
/// overlap it; returns how many. `equal` must be an equivalence.
template <DistributedRange In, WritableDistributedRange Out, class Equal = std::equal_to<>>
std::size_t unique_copy(In&& in, Out&& out, Equal equal = {}) {
  const auto from = in.view();
  const auto to = out.view();
  detail::require_same_members("unique_copy", from, to);
  detail::enter(from, to);
  auto before = from.local().empty() ? std::nullopt : from.previous();
  return detail::keep_some("unique_copy", from, to, [&](const auto& element) {
    const bool is_same = before && equal(*before, element);
    before = element;
    return !is_same;
  });
}

/// The elements of `in` for which `first` holds to the beginning of `out_true`, the others to that
/// of `out_false`, which overlap nothing. Returns how many each are.
template <DistributedRange In, WritableDistributedRange Out, WritableDistributedRange OutFalse,
          std::predicate<const range_value_t<In>&> P>
std::pair<std::size_t, std::size_t> partition_copy(In&& in, Out&& out_true, OutFalse&& out_false,
                                                   P first) {
  const std::size_t count = copy_if(in, out_true, std::ref(first));
  return {count, remove_copy_if(in, out_false, std::ref(first))};
}
/// partition, which is stable.
template <WritableDistributedRange R, std::predicate<const range_value_t<R>&> P>
std::size_t stable_partition(R&& range, P first) {
  return partition(range, std::ref(first));
}

}  // namespace armature
