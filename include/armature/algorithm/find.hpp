#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "armature/collectives.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/range.hpp"
#include "armature/named_call.hpp"

// Algorithms that find an element: every member gets its index, or nothing.
//
// Messages: a meeting and one allreduce; an allgather for elements that are not trivially copyable.

namespace armature {

/// The first element for which `wanted` holds.
template <DistributedRange R, std::predicate<const range_value_t<R>&> P>
[[nodiscard]] std::optional<std::size_t> find_if(R&& range, P wanted) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::find_if);
  all.fence();
  const auto mine = all.local();
  const auto at = std::ranges::find_if(mine, std::ref(wanted));
  const std::size_t index =
      at == mine.end() ? SIZE_MAX : all.offset() + static_cast<std::size_t>(at - mine.begin());
  const std::size_t first = allreduce(all.team(), index, Minimum());
  return first == SIZE_MAX ? std::nullopt : std::optional(first);
}
template <DistributedRange R>
[[nodiscard]] std::optional<std::size_t> find(R&& range, const range_value_t<R>& value) {
  return find_if(range, [&value](const auto& element) { return element == value; });
}

namespace detail {

/// An element and where it is.
template <class T>
struct Placed {
  T value;
  std::size_t index = 0;

  void define_type(typer& t) requires(!Transferable<T>) {
    t.local(value);
    t.local(index);
  }
};

template <class T>
std::optional<Placed<std::remove_const_t<T>>> placed(const distributed_range<T>& range,
                                                     std::type_identity_t<const T>* element) {
  const auto mine = range.local();
  if (mine.empty()) return std::nullopt;
  return Placed<std::remove_const_t<T>>{
      *element, range.offset() + static_cast<std::size_t>(element - mine.data())};
}

template <class P>
std::optional<std::size_t> index_of(const std::optional<P>& found) {
  return found ? std::optional(found->index) : std::nullopt;
}

}  // namespace detail

/// The first of the smallest elements.
template <DistributedRange R, class Less = std::less<>>
[[nodiscard]] std::optional<std::size_t> min_element(R&& range, Less less = {}) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::min_element);
  all.fence();
  const auto mine = all.local();
  const auto best = detail::placed(
      all, std::to_address(std::min_element(mine.begin(), mine.end(), std::ref(less))));
  return detail::index_of(detail::combine_values(
      all.team(), best,
      [&less](const auto& a, const auto& b) { return less(b.value, a.value) ? b : a; }));
}

/// The first of the largest elements.
template <DistributedRange R, class Less = std::less<>>
[[nodiscard]] std::optional<std::size_t> max_element(R&& range, Less less = {}) {
  const detail::NamedCall named(range.view().team(), detail::UserCall::max_element);
  return min_element(range, [&less](const auto& a, const auto& b) { return less(b, a); });
}

/// The first of the smallest elements, and the last of the largest.
template <DistributedRange R, class Less = std::less<>>
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> minmax_element(R&& range,
                                                                                Less less = {}) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::minmax_element);
  all.fence();
  const auto mine = all.local();
  const auto [low, high] = std::minmax_element(mine.begin(), mine.end(), std::ref(less));
  const auto smallest = detail::combine_values(
      all.team(), detail::placed(all, std::to_address(low)),
      [&less](const auto& a, const auto& b) { return less(b.value, a.value) ? b : a; });
  const auto largest = detail::combine_values(
      all.team(), detail::placed(all, std::to_address(high)),
      [&less](const auto& a, const auto& b) { return less(b.value, a.value) ? a : b; });
  if (!smallest) return std::nullopt;
  return std::pair(smallest->index, largest->index);
}

}  // namespace armature
