#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/collectives.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/range.hpp"
#include "armature/named_call.hpp"

// Algorithms that make one value of all elements: every member gets it. See apply.hpp for what
// holds of all algorithms.
//
// Messages: a meeting and one allreduce; an allgather for results that are not trivially copyable.

namespace armature {

/// op over init and term(element) of all elements, in order: op must be associative, but need not
/// commute.
template <DistributedRange R, Marshallable T, class Op, class Term>
requires std::invocable < Term&, const range_value_t<R>
& > [[nodiscard]] T transform_reduce(R&& range, T init, Op op, Term term) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::reduce);
  all.fence();
  std::optional<T> mine;
  for (const auto& element : all.local()) {
    if (mine)
      mine = static_cast<T>(op(*std::move(mine), term(element)));
    else
      mine = static_cast<T>(term(element));
  }
  const auto total =
      detail::combine_values(all.team(), mine, [&op](T a, const T& b) { return T(op(a, b)); });
  return total ? static_cast<T>(op(std::move(init), *total)) : init;
}

/// op over init and all elements, in order.
template <DistributedRange R, Marshallable T, class Op = std::plus<>>
[[nodiscard]] T reduce(R&& range, T init, Op op = {}) {
  return transform_reduce(range, std::move(init), std::move(op), std::identity());
}
template <DistributedRange R>
[[nodiscard]] range_value_t<R> reduce(R&& range) {
  return reduce(range, range_value_t<R>());
}

/// op over init and term(a[i], b[i]), in order. Throws Error(bad_argument) when sizes differ.
template <DistributedRange A, DistributedRange B, Marshallable T, class Op = std::plus<>,
          class Term = std::multiplies<>>
[[nodiscard]] T inner_product(A&& a, B&& b, T init, Op op = {}, Term term = {}) {
  const auto first = a.view();
  const auto second = b.view();
  const detail::NamedCall named(first.team(), detail::UserCall::inner_product);
  detail::require_same_size("inner_product", first, second);
  detail::enter(first, second);
  const detail::Aligned others(second, first);
  std::optional<T> mine;
  auto other = others.elements().begin();
  for (const auto& element : first.local()) {
    T value = static_cast<T>(term(element, *other++));
    mine = mine ? static_cast<T>(op(*std::move(mine), std::move(value))) : std::move(value);
  }
  const auto total =
      detail::combine_values(first.team(), mine, [&op](T x, const T& y) { return T(op(x, y)); });
  return total ? static_cast<T>(op(std::move(init), *total)) : init;
}

// -- counting ----------------------------------------------------------------------------------

template <DistributedRange R, std::predicate<const range_value_t<R>&> P>
[[nodiscard]] std::size_t count_if(R&& range, P is_counted) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::count_if);
  all.fence();
  return allreduce(all.team(), static_cast<std::size_t>(
                                   std::ranges::count_if(all.local(), std::ref(is_counted))));
}
template <DistributedRange R>
[[nodiscard]] std::size_t count(R&& range, const range_value_t<R>& value) {
  return count_if(range, [&value](const auto& element) { return element == value; });
}

template <DistributedRange R, std::predicate<const range_value_t<R>&> P>
[[nodiscard]] bool any_of(R&& range, P holds) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::any_of);
  all.fence();
  return allreduce(all.team(), std::ranges::any_of(all.local(), std::ref(holds)),
                   std::logical_or<>());
}
template <DistributedRange R, std::predicate<const range_value_t<R>&> P>
[[nodiscard]] bool all_of(R&& range, P holds) {
  return !any_of(range, std::not_fn(std::ref(holds)));
}
template <DistributedRange R, std::predicate<const range_value_t<R>&> P>
[[nodiscard]] bool none_of(R&& range, P holds) {
  return !any_of(range, std::ref(holds));
}

/// counts[b] is the number of elements for which bin_of(element) is b; what is not within
/// [0, bins) is not counted.
template <DistributedRange R, class F>
requires std::invocable < F&, const range_value_t<R>
& > [[nodiscard]] std::vector<std::size_t> histogram(R&& range, std::size_t bins, F bin_of) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::histogram);
  all.fence();
  std::vector<std::size_t> counts(bins);
  for (const auto& element : all.local()) {
    const auto bin = bin_of(element);
    if (bin >= decltype(bin){} && static_cast<std::size_t>(bin) < bins)
      ++counts[static_cast<std::size_t>(bin)];
  }
  allreduce(all.team(), std::span<std::size_t>(counts));
  return counts;
}
/// Bins of equal width over [low, high), which must not be empty.
template <DistributedRange R>
requires std::is_arithmetic_v<range_value_t<R>>
[[nodiscard]] std::vector<std::size_t> histogram(R&& range, std::size_t bins, range_value_t<R> low,
                                                 range_value_t<R> high) {
  if (!(low < high) || bins == 0)
    throw Error(Errc::bad_argument, "histogram: there must be bins, and low must be below high");
  const double scale =
      static_cast<double>(bins) / (static_cast<double>(high) - static_cast<double>(low));
  return histogram(range, bins, [=](range_value_t<R> value) -> std::size_t {
    if (!(low <= value && value < high)) return bins;
    const double bin = (static_cast<double>(value) - static_cast<double>(low)) * scale;
    return std::min(static_cast<std::size_t>(bin), bins - 1);  // rounding may reach the next one
  });
}

}  // namespace armature
