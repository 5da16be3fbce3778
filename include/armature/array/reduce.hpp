#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/array/arithmetic.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/collectives.hpp"
#include "armature/error.hpp"
#include "armature/operators.hpp"

// Reductions of whole arrays, and along a dimension. All are collective: what was written before is
// seen by them, and all members get the result. Operators are callables T(T, T) that throw nothing,
// are associative and commute.

namespace armature {

namespace detail {
/// The combination of a member's elements, if it has some.
template <class T>
struct PartialResult {
  T value{};
  bool is_there = false;
};

/// Combines members' results.
template <class T, class Op>
PartialResult<T> combine_partial(const Team& team, const PartialResult<T>& mine, Op op) {
  return allreduce(team, mine, [&op](const PartialResult<T>& a, const PartialResult<T>& b) {
    if (!a.is_there) return b;
    if (!b.is_there) return a;
    return PartialResult<T>{op(a.value, b.value), true};
  });
}
}  // namespace detail

/// Combines term(elements...) over all places of the arrays, which are of the same shape, with
/// `init`.
template <class R, class Op, class Term, class T, int N, class... U>
[[nodiscard]] R transform_reduce(R init, Op op, Term term, const distributed_array<T, N>& array,
                                 const distributed_array<U, N>&... others) {
  array.fence();
  detail::PartialResult<R> mine;
  const bool counts = array.layout().placement().is_original(array.store().me());
  [&](const detail::AlignedOperand<U, N>&... operands) {
    detail::for_rows(
        array.local_memory().data(), &array.store().block(),
        [&](std::ptrdiff_t count, const T* row, const U*... rows) {
          R sum = term(row[0], rows[0]...);
          for (std::ptrdiff_t i = 1; i < count; ++i) sum = op(sum, term(row[i], rows[i]...));
          if (counts) mine = {mine.is_there ? op(mine.value, sum) : sum, true};
        },
        operands...);
  }(detail::AlignedOperand<U, N>(array, others)...);
  const auto all = detail::combine_partial(array.team(), mine, op);
  return all.is_there ? op(init, all.value) : init;
}
template <class T, int N, class Op = std::plus<>>
[[nodiscard]] T reduce(const distributed_array<T, N>& array, std::type_identity_t<T> init,
                       Op op = {}) {
  return transform_reduce(init, op, std::identity(), array);
}

template <class T, int N>
[[nodiscard]] T sum(const distributed_array<T, N>& array) {
  return reduce(array, T());
}
template <class T, int N>
[[nodiscard]] T dot(const distributed_array<T, N>& a, const distributed_array<T, N>& b) {
  return transform_reduce(T(), std::plus<>(), std::multiplies<>(), a, b);
}
/// Returns how many elements have a property.
template <class T, int N, std::predicate<const T&> P>
[[nodiscard]] std::ptrdiff_t count_if(const distributed_array<T, N>& array, P has) {
  return transform_reduce(
      std::ptrdiff_t{0}, std::plus<>(),
      [&has](const T& x) -> std::ptrdiff_t { return has(x) ? 1 : 0; }, array);
}
/// Returns whether any element has a property; all_of: whether all have.
template <class T, int N, std::predicate<const T&> P>
[[nodiscard]] bool any_of(const distributed_array<T, N>& array, P has) {
  return transform_reduce(
      false, std::logical_or<>(), [&has](const T& x) -> bool { return has(x); }, array);
}
template <class T, int N, std::predicate<const T&> P>
[[nodiscard]] bool all_of(const distributed_array<T, N>& array, P has) {
  return transform_reduce(
      true, std::logical_and<>(), [&has](const T& x) -> bool { return has(x); }, array);
}
/// Returns the sum of the elements' amounts; norm_2: the root of the sum of their squares;
/// norm_max: the largest amount, or 0.
template <class T, int N>
[[nodiscard]] auto norm_1(const distributed_array<T, N>& array) {
  using Amount = decltype(std::abs(T()));
  return transform_reduce(
      Amount(), std::plus<>(), [](const T& x) { return std::abs(x); }, array);
}
template <class T, int N>
[[nodiscard]] auto norm_2(const distributed_array<T, N>& array) {
  using Amount = decltype(std::abs(T()));
  const auto squares = transform_reduce(
      Amount(), std::plus<>(), [](const T& x) { return std::abs(x) * std::abs(x); }, array);
  return std::sqrt(squares);
}
template <class T, int N>
[[nodiscard]] auto norm_max(const distributed_array<T, N>& array) {
  using Amount = decltype(std::abs(T()));
  return transform_reduce(
      Amount(), Maximum(), [](const T& x) { return std::abs(x); }, array);
}

/// A value and the indices of the element that has it.
template <class T, int N>
struct located_value {
  T value{};
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> at{};
};

/// Returns the element that comes first by `is_before`; of equals the one with the smallest
/// indices. Throws Error(bad_argument) for an array without elements.
template <class T, int N, class Before = std::less<>>
[[nodiscard]] located_value<T, N> first_by(const distributed_array<T, N>& array,
                                           Before is_before = {}) {
  using Located = located_value<T, N>;
  const auto better = [&](const Located& a, const Located& b) {
    if (is_before(a.value, b.value)) return a;
    if (is_before(b.value, a.value)) return b;
    return a.at < b.at ? a : b;
  };
  array.fence();
  detail::PartialResult<Located> mine;
  const auto view = array.local();
  detail::for_each_local(array, [&](const auto& local) {
    const Located one{view[local], array.global(local)};
    mine = {mine.is_there ? better(mine.value, one) : one, true};
  });
  const auto all = detail::combine_partial(array.team(), mine, better);
  if (!all.is_there)
    throw Error(Errc::bad_argument,
                "distributed_array '" + array.name() + "' has no element, so no first one");
  return all.value;
}
template <class T, int N>
[[nodiscard]] located_value<T, N> minimum(const distributed_array<T, N>& array) {
  return first_by(array, std::less<>());
}
template <class T, int N>
[[nodiscard]] located_value<T, N> maximum(const distributed_array<T, N>& array) {
  return first_by(array, std::greater<>());
}

}  // namespace armature
