#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>

#include "armature/algorithm/aligned.hpp"
#include "armature/container/range.hpp"

// Algorithms that treat every element by itself.
//
// All algorithms are collective over the range's team. They see what any member wrote to their
// ranges before its call, and what they write is seen by every member after. Functions are called
// by the owner of the element (of the first range), in index order within a piece. An exception
// that leaves one leaves the algorithm, too. Uncaught, it ends the job. If it is caught, the other
// members wait for ever.
//
// Messages: two meetings of all members. Where ranges are divided differently, one get or put for
// each piece that a member's own reaches into.

namespace armature {

namespace detail {
/// f() or, when it takes one, f(index).
template <class F>
decltype(auto) generated(F& f, std::size_t index) {
  if constexpr (std::invocable<F&, std::size_t>)
    return f(index);
  else
    return f();
}
}  // namespace detail

/// f(element), which may change it.
template <DistributedRange R, class F>
void for_each(R&& range, F f) {
  const auto all = range.view();
  all.fence();
  std::ranges::for_each(all.local(), std::ref(f));
  all.fence();
}

/// f(entry), f(key, value), f(element) or f(vertex) for all of a map, set, list, graph or object
/// array, where they are; see their for_all.
template <class C, class F>
requires(!DistributedRange<C> &&
         requires(C & container, F f) { container.for_all(f); }) void for_each(C&& container, F f) {
  container.for_all(std::move(f));
}

/// element = f(), or f(index) when f takes one.
template <WritableDistributedRange R, class F>
void generate(R&& range, F f) {
  const auto all = range.view();
  all.fence();
  std::size_t index = all.offset();
  for (auto& element : all.local()) element = detail::generated(f, index++);
  all.fence();
}

template <WritableDistributedRange R>
void fill(R&& range, const range_value_t<R>& value) {
  const auto all = range.view();
  all.fence();
  std::ranges::fill(all.local(), value);
  all.fence();
}

/// out[i] = f(in[i]); `out` may be `in`. Throws Error(bad_argument) when their sizes differ.
template <DistributedRange In, WritableDistributedRange Out, class F>
requires std::invocable < F&, const range_value_t<In>
& > void transform(In&& in, Out&& out, F f) {
  const auto from = in.view();
  const auto to = out.view();
  detail::require_same_size("transform", from, to);
  detail::enter(from, to);
  const detail::AlignedOutput output(to, from);
  std::ranges::transform(from.local(), output.elements().begin(), std::ref(f));
  output.write_back();
  to.fence();
}

/// element = f(element).
template <WritableDistributedRange R, class F>
requires std::invocable < F&, const range_value_t<R>
& > void transform(R&& range, F f) { transform(range, range, std::move(f)); }

/// out[i] = f(a[i], b[i]).
template <DistributedRange A, DistributedRange B, WritableDistributedRange Out, class F>
void transform(A&& a, B&& b, Out&& out, F f) {
  const auto first = a.view();
  const auto second = b.view();
  const auto to = out.view();
  detail::require_same_size("transform", first, second);
  detail::require_same_size("transform", first, to);
  detail::enter(first, second, to);
  const detail::Aligned others(second, first);
  const detail::AlignedOutput output(to, first);
  // Nobody writes before all have fetched: `out` may be `a` or `b`.
  first.fence();
  std::ranges::transform(first.local(), others.elements(), output.elements().begin(), std::ref(f));
  output.write_back();
  to.fence();
}

/// The elements of `in` to the beginning of `out`, which must be as long at least and not overlap.
template <DistributedRange In, WritableDistributedRange Out>
void copy(In&& in, Out&& out) {
  const auto from = in.view();
  const auto to = out.view();
  detail::require_same_members("copy", from, to);
  if (from.size() > to.size()) detail::require_same_size("copy", from, to);
  detail::enter(from, to);
  to.write(from.offset(), std::span<const range_value_t<Out>>(from.local()));
  to.fence();
}

}  // namespace armature
