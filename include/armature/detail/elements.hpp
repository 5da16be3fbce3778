#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "armature/detail/collective.hpp"

// Collectives are written for std::span. What holds its elements one behind the other (a vector, an
// array, a view of those) is taken as the span of them. Everything else is answered in one
// sentence, where a constraint alone would have the compiler list all that did not fit.

namespace armature::detail {

template <class T>
inline constexpr bool is_span = false;
template <class T>
inline constexpr bool is_span<std::span<T>> = true;

/// Elements one behind the other, whose bytes may be copied. Spans and values have calls of their
/// own.
template <class R>
concept ElementRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    Transferable<std::ranges::range_value_t<R>> && !is_span<std::remove_cvref_t<R>>;

/// They can be written, and are there after the call.
template <class R>
concept ResultElements = ElementRange<R> && std::ranges::borrowed_range<R> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// Two of T combine to one.
template <class T, class Op>
concept Combines = requires(Op& op, T& a, const T& b) {
  {static_cast<T>(op(a, b))};
};

template <class R>
using ElementOf = std::ranges::range_value_t<R>;

template <class R>
std::span<ElementOf<R>> span_of(R& elements) {
  return {std::ranges::data(elements), std::ranges::size(elements)};
}
template <class R>
std::span<const ElementOf<R>> const_span_of(const R& elements) {
  return {std::ranges::data(elements), std::ranges::size(elements)};
}

/// An array is Transferable, and so a value, but nothing adds two: it stands for its elements.
template <class R, class Op>
concept ReducedElements = ResultElements<R> && Combines<ElementOf<R>, Op> &&
    !(Single<std::remove_cvref_t<R>> && Combines<std::remove_cvref_t<R>, Op>);

/// Why a call takes no `R`. Looked at only where no call does. The conditions are constants: for
/// concepts the compiler would list what they are made of.
template <class R, class Op>
constexpr void refuse_to_reduce() {
  using T = std::remove_cvref_t<R>;
  if constexpr (!std::ranges::range<T>) {
    constexpr bool is_bytes = Transferable<T>;
    static_assert(is_bytes, "a collective copies a value as bytes: it must be trivially copyable");
    constexpr bool combines = !is_bytes || Combines<T, Op>;
    static_assert(combines, "the operator does not make one value of two");
  } else if constexpr (!std::ranges::contiguous_range<T>) {
    constexpr bool is_contiguous = sizeof(T) == 0;
    static_assert(
        is_contiguous,
        "a collective takes elements one behind the other, as a vector, an array or a span "
        "has them");
  } else if constexpr (!Transferable<ElementOf<T>>) {
    constexpr bool is_bytes = sizeof(T) == 0;
    static_assert(is_bytes,
                  "a collective copies elements as bytes: they must be trivially copyable");
  } else if constexpr (!Combines<ElementOf<T>, Op>) {
    constexpr bool combines = sizeof(T) == 0;
    static_assert(combines, "the operator does not make one element of two");
  } else {
    constexpr bool is_there = sizeof(T) == 0;
    static_assert(is_there,
                  "the result is written over the elements: they must be neither const nor in a "
                  "temporary");
  }
}

}  // namespace armature::detail
