#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "armature/algorithm/find.hpp"
#include "armature/algorithm/in_order.hpp"
#include "armature/collectives.hpp"
#include "armature/container/range.hpp"

// Algorithms that look for several elements. A pattern is any range of the standard library, the
// same on all members. Each member looks at what begins in its piece, and fetches as one section
// what may belong to it behind its piece.
//
// Messages: a meeting and one allreduce; each member gets as many elements behind its piece as the
// pattern has.

namespace armature {

namespace detail {

/// My piece, and at most so many elements behind it.
template <class T>
auto piece_and_behind(const distributed_range<T>& range, std::size_t behind) {
  const std::size_t begin = range.offset(), mine = range.local().size();
  const std::size_t end = begin + mine;
  std::vector<std::remove_const_t<T>> elements(range.local().begin(), range.local().end());
  if (mine == 0) return elements;
  auto more = section_of(range, end, std::min(behind, range.size() - end));
  std::ranges::move(more, std::back_inserter(elements));
  return elements;
}

}  // namespace detail

/// The first element for which `unwanted` does not hold.
template <DistributedRange R, std::predicate<const range_value_t<R>&> P>
[[nodiscard]] std::optional<std::size_t> find_if_not(R&& range, P unwanted) {
  return find_if(range, std::not_fn(std::ref(unwanted)));
}
/// The first element that is equal to one of `values`.
template <DistributedRange R, std::ranges::forward_range V, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> find_first_of(R&& range, const V& values,
                                                       Equal equal = {}) {
  return find_if(range, [&](const auto& element) {
    return std::ranges::any_of(values, [&](const auto& value) { return equal(element, value); });
  });
}

/// The index at which the elements of `pattern` begin for the first time, in their order. An empty
/// one is found at 0.
template <DistributedRange R, std::ranges::forward_range V, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> search(R&& range, const V& pattern, Equal equal = {}) {
  const auto all = range.view();
  all.fence();
  const auto length = static_cast<std::size_t>(std::ranges::distance(pattern));
  if (length == 0) return 0;
  const auto here = detail::piece_and_behind(all, length - 1);
  const auto at = std::search(here.begin(), here.end(), std::ranges::begin(pattern),
                              std::ranges::end(pattern), std::ref(equal));
  return detail::first_of_all(
      all.team(),
      at == here.end() ? SIZE_MAX : all.offset() + static_cast<std::size_t>(at - here.begin()));
}
/// The index at which they begin for the last time. An empty pattern is found at size().
template <DistributedRange R, std::ranges::forward_range V, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> find_end(R&& range, const V& pattern, Equal equal = {}) {
  const auto all = range.view();
  all.fence();
  const auto length = static_cast<std::size_t>(std::ranges::distance(pattern));
  if (length == 0) return all.size();
  const auto here = detail::piece_and_behind(all, length - 1);
  const auto at = std::find_end(here.begin(), here.end(), std::ranges::begin(pattern),
                                std::ranges::end(pattern), std::ref(equal));
  const std::size_t behind =
      at == here.end() ? 0 : all.offset() + static_cast<std::size_t>(at - here.begin()) + 1;
  const std::size_t last = allreduce(all.team(), behind, Maximum());
  return last == 0 ? std::nullopt : std::optional(last - 1);
}
/// The index at which n elements in a row that are equal to `value` begin for the first time.
template <DistributedRange R, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> search_n(R&& range, std::size_t n,
                                                  const range_value_t<R>& value, Equal equal = {}) {
  // A pattern that is longer than the range is not made.
  const auto all = range.view();
  if (n > all.size()) {
    all.fence();
    return std::nullopt;
  }
  return search(all, std::vector<range_value_t<R>>(n, value), std::ref(equal));
}

}  // namespace armature
