#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <utility>

#include "armature/container/range.hpp"
#include "armature/error.hpp"

// Algorithms on a rank's own elements, under the names of the collective ones. So a function that
// is written for a distributed vector also works where it is nested: on the elements that a task
// was given, or on a vector that is itself an element. There one rank has them, and nobody else
// takes part (armi-rmi-2003, 6).
//
// Messages: none.

namespace armature {

/// A range of the caller's own memory: a std::vector, a std::span, a view of the standard library.
template <class L>
concept SerialRange =
    std::ranges::random_access_range<L> && std::ranges::sized_range<L> && !DistributedRange<L>;

namespace detail {
template <SerialRange A, SerialRange B>
void require_equal_sizes(const char* algorithm, const A& a, const B& b) {
  const auto size_a = static_cast<std::size_t>(std::ranges::size(a));
  const auto size_b = static_cast<std::size_t>(std::ranges::size(b));
  if (size_a != size_b)
    throw Error(Errc::bad_argument, std::string(algorithm) + ": one range has " +
                                        std::to_string(size_a) + " elements, another " +
                                        std::to_string(size_b));
}
}  // namespace detail

template <SerialRange L, class F>
void for_each(L&& own, F f) {
  std::ranges::for_each(own, std::ref(f));
}
/// element = f(), or f(index) when f takes one.
template <SerialRange L, class F>
void generate(L&& own, F f) {
  std::size_t index = 0;
  for (auto&& element : own) {
    if constexpr (std::invocable<F&, std::size_t>)
      element = f(index++);
    else
      element = f();
  }
}
template <SerialRange L>
void fill(L&& own, const std::ranges::range_value_t<L>& value) {
  std::ranges::fill(own, value);
}
/// out[i] = f(in[i]); `out` may be `in`. Throws Error(bad_argument) when their sizes differ.
template <SerialRange L, SerialRange Out, class F>
void transform(L&& own, Out&& out, F f) {
  detail::require_equal_sizes("transform", own, out);
  std::ranges::transform(own, std::ranges::begin(out), std::ref(f));
}
/// element = f(element).
template <SerialRange L, class F>
requires std::invocable<F&, std::ranges::range_reference_t<L>>
void transform(L&& own, F f) { std::ranges::transform(own, std::ranges::begin(own), std::ref(f)); }
/// The elements to the beginning of `out`, which must be as long at least.
template <SerialRange L, SerialRange Out>
void copy(L&& own, Out&& out) {
  if (std::ranges::size(own) > std::ranges::size(out))
    detail::require_equal_sizes("copy", own, out);
  std::ranges::copy(own, std::ranges::begin(out));
}

/// op over init and term(element) of all elements, in order.
template <SerialRange L, class T, class Op, class Term>
[[nodiscard]] T transform_reduce(L&& own, T init, Op op, Term term) {
  for (auto&& element : own) init = static_cast<T>(op(std::move(init), term(element)));
  return init;
}
template <SerialRange L, class T, class Op = std::plus<>>
[[nodiscard]] T reduce(L&& own, T init, Op op = {}) {
  return armature::transform_reduce(own, std::move(init), std::move(op), std::identity());
}
template <SerialRange L>
[[nodiscard]] std::ranges::range_value_t<L> reduce(L&& own) {
  return armature::reduce(own, std::ranges::range_value_t<L>());
}
template <SerialRange L, class P>
[[nodiscard]] std::size_t count_if(L&& own, P is_counted) {
  return static_cast<std::size_t>(std::ranges::count_if(own, std::ref(is_counted)));
}
template <SerialRange L>
[[nodiscard]] std::size_t count(L&& own, const std::ranges::range_value_t<L>& value) {
  return static_cast<std::size_t>(std::ranges::count(own, value));
}
template <SerialRange L, class P>
[[nodiscard]] bool any_of(L&& own, P holds) {
  return std::ranges::any_of(own, std::ref(holds));
}
template <SerialRange L, class P>
[[nodiscard]] bool all_of(L&& own, P holds) {
  return std::ranges::all_of(own, std::ref(holds));
}
template <SerialRange L, class P>
[[nodiscard]] bool none_of(L&& own, P holds) {
  return std::ranges::none_of(own, std::ref(holds));
}

/// The index of the first element for which `wanted` holds.
template <SerialRange L, class P>
[[nodiscard]] std::optional<std::size_t> find_if(L&& own, P wanted) {
  const auto at = std::ranges::find_if(own, std::ref(wanted));
  if (at == std::ranges::end(own)) return std::nullopt;
  return static_cast<std::size_t>(at - std::ranges::begin(own));
}
template <SerialRange L>
[[nodiscard]] std::optional<std::size_t> find(L&& own, const std::ranges::range_value_t<L>& value) {
  return armature::find_if(own, [&value](const auto& element) { return element == value; });
}
/// The index of the first of the smallest elements.
template <SerialRange L, class Less = std::less<>>
[[nodiscard]] std::optional<std::size_t> min_element(L&& own, Less less = {}) {
  if (std::ranges::empty(own)) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::min_element(own, std::ref(less)) -
                                  std::ranges::begin(own));
}
/// The index of the first of the largest elements.
template <SerialRange L, class Less = std::less<>>
[[nodiscard]] std::optional<std::size_t> max_element(L&& own, Less less = {}) {
  if (std::ranges::empty(own)) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::max_element(own, std::ref(less)) -
                                  std::ranges::begin(own));
}

/// out[i] = own[0] op ... op own[i]; `out` may be `own`.
template <SerialRange L, SerialRange Out, class Op = std::plus<>>
void inclusive_scan(L&& own, Out&& out, Op op = {}) {
  detail::require_equal_sizes("inclusive_scan", own, out);
  std::partial_sum(std::ranges::begin(own), std::ranges::end(own), std::ranges::begin(out),
                   std::ref(op));
}
/// out[i] = init op own[0] op ... op own[i - 1]; `out` may be `own`.
template <SerialRange L, SerialRange Out, class T, class Op = std::plus<>>
void exclusive_scan(L&& own, Out&& out, T init, Op op = {}) {
  detail::require_equal_sizes("exclusive_scan", own, out);
  std::exclusive_scan(std::ranges::begin(own), std::ranges::end(own), std::ranges::begin(out),
                      std::move(init), std::ref(op));
}
template <SerialRange L>
void reverse(L&& own) {
  std::ranges::reverse(own);
}

template <SerialRange L, class Less = std::less<>>
void sort(L&& own, Less less = {}) {
  std::ranges::sort(own, std::ref(less));
}
/// Equal elements stay in their order.
template <SerialRange L, class Less = std::less<>>
void stable_sort(L&& own, Less less = {}) {
  std::ranges::stable_sort(own, std::ref(less));
}

}  // namespace armature
