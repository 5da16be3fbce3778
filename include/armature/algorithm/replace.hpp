#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>

#include "armature/algorithm/apply.hpp"
#include "armature/algorithm/in_order.hpp"
#include "armature/container/range.hpp"

// Algorithms that replace elements by a value, and those that treat the first n elements.
//
// Messages: those of apply.hpp.

namespace armature {

/// Elements for which `is_old` holds become `value`.
template <WritableDistributedRange R, std::predicate<const range_value_t<R>&> P>
void replace_if(R&& range, P is_old, const range_value_t<R>& value) {
  for_each(range, [&](auto& element) {
    if (is_old(std::as_const(element))) element = value;
  });
}
template <WritableDistributedRange R>
void replace(R&& range, const range_value_t<R>& old, const range_value_t<R>& value) {
  // `old` may be an element.
  const range_value_t<R> replaced = old, by = value;
  replace_if(
      range, [&replaced](const auto& element) { return element == replaced; }, by);
}
/// The elements of `in`, some replaced, to the beginning of `out`, which may be `in`.
template <DistributedRange In, WritableDistributedRange Out,
          std::predicate<const range_value_t<In>&> P>
void replace_copy_if(In&& in, Out&& out, P is_old, const range_value_t<Out>& value) {
  const auto from = in.view();
  transform(from, detail::beginning_for("replace_copy_if", from, out.view()),
            [&](const auto& element) {
              return is_old(element) ? value : static_cast<range_value_t<Out>>(element);
            });
}
template <DistributedRange In, WritableDistributedRange Out>
void replace_copy(In&& in, Out&& out, const range_value_t<In>& old,
                  const range_value_t<Out>& value) {
  replace_copy_if(
      in, out, [&old](const auto& element) { return element == old; }, value);
}

// -- the first n; Error(bad_argument) where there are not so many
template <DistributedRange R, class F>
void for_each_n(R&& range, std::size_t n, F f) {
  for_each(range.view().slice(0, n), std::move(f));
}
template <WritableDistributedRange R>
void fill_n(R&& range, std::size_t n, const range_value_t<R>& value) {
  fill(range.view().slice(0, n), value);
}
template <WritableDistributedRange R, class F>
void generate_n(R&& range, std::size_t n, F f) {
  generate(range.view().slice(0, n), std::move(f));
}
template <DistributedRange In, WritableDistributedRange Out>
void copy_n(In&& in, std::size_t n, Out&& out) {
  copy(in.view().slice(0, n), out);
}

}  // namespace armature
