#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/algorithm/in_order.hpp"
#include "armature/container/range.hpp"
#include "armature/error.hpp"

// Algorithms that give elements other places, whatever their values are. Each member reads what its
// piece will hold, as one or two sections; when all have read, all write.
//
// Messages: two or three meetings; each member gets one or two sections.

namespace armature {

namespace detail {

/// The elements that a mirrored range has from index `first`.
template <class T>
auto mirrored(const distributed_range<T>& range, std::size_t first, std::size_t count) {
  auto elements = section_of(range, count == 0 ? 0 : range.size() - first - count, count);
  std::ranges::reverse(elements);
  return elements;
}

/// The elements that a range has from index `first` if element `middle` is its first.
template <class T>
auto rotated(const distributed_range<T>& range, std::size_t middle, std::size_t first,
             std::size_t count) {
  std::vector<std::remove_const_t<T>> elements(count);
  const std::size_t n = range.size();
  if (count == 0) return elements;
  const std::size_t begin = (first + middle) % n;
  const std::size_t until_end = std::min(count, n - begin);
  const std::span<std::remove_const_t<T>> all(elements);
  range.read(begin, all.first(until_end));
  range.read(0, all.subspan(until_end));
  return elements;
}

template <class T>
void require_middle(const char* algorithm, const distributed_range<T>& range, std::size_t middle) {
  if (middle > range.size())
    throw Error(Errc::bad_argument, std::string(algorithm) + ": there is no element " +
                                        std::to_string(middle) + " among " +
                                        std::to_string(range.size()));
}

/// Collective: `read` says what my piece will be.
template <class T, class Read>
void replace_pieces(const distributed_range<T>& range, Read read) {
  range.fence();
  auto elements = read();
  range.fence();
  std::ranges::move(elements, range.local().begin());
  range.fence();
}

}  // namespace detail

/// The last element becomes the first.
template <WritableDistributedRange R>
void reverse(R&& range) {
  const auto all = range.view();
  detail::replace_pieces(all,
                         [&] { return detail::mirrored(all, all.offset(), all.local().size()); });
}
/// The elements of `in`, the last one first, to the beginning of `out`, which must not overlap it.
template <DistributedRange In, WritableDistributedRange Out>
void reverse_copy(In&& in, Out&& out) {
  const auto from = in.view();
  const auto to = detail::beginning_for("reverse_copy", from, out.view());
  detail::enter(from, to);
  std::ranges::move(detail::mirrored(from, to.offset(), to.local().size()), to.local().begin());
  to.fence();
}

/// Element `middle` becomes the first; those before it come behind the others. Returns the new
/// index of what was the first. middle <= size().
template <WritableDistributedRange R>
std::size_t rotate(R&& range, std::size_t middle) {
  const auto all = range.view();
  detail::require_middle("rotate", all, middle);
  detail::replace_pieces(
      all, [&] { return detail::rotated(all, middle, all.offset(), all.local().size()); });
  return all.size() - middle;
}
/// The rotated elements of `in` to the beginning of `out`, which must not overlap it.
template <DistributedRange In, WritableDistributedRange Out>
void rotate_copy(In&& in, std::size_t middle, Out&& out) {
  const auto from = in.view();
  const auto to = detail::beginning_for("rotate_copy", from, out.view());
  detail::require_middle("rotate_copy", from, middle);
  detail::enter(from, to);
  std::ranges::move(detail::rotated(from, middle, to.offset(), to.local().size()),
                    to.local().begin());
  to.fence();
}

/// Drops the first n elements; those behind them come to the beginning. Returns how many these are.
/// The elements behind them are unspecified.
template <WritableDistributedRange R>
std::size_t shift_left(R&& range, std::size_t n) {
  const auto all = range.view();
  if (n >= all.size()) return 0;
  (void)rotate(all, n);
  return all.size() - n;
}
/// Drops the last n elements; those before them come to the end. Returns how many these are. What
/// lies before them is unspecified.
template <WritableDistributedRange R>
std::size_t shift_right(R&& range, std::size_t n) {
  const auto all = range.view();
  if (n >= all.size()) return 0;
  (void)rotate(all, all.size() - n);
  return all.size() - n;
}

/// The elements of a and b change places. They have the same size, and do not overlap.
template <WritableDistributedRange A, WritableDistributedRange B>
void swap_ranges(A&& a, B&& b) {
  const auto first = a.view();
  const auto second = b.view();
  detail::require_same_size("swap_ranges", first, second);
  detail::enter(first, second);
  auto for_first = detail::section_of(second, first.offset(), first.local().size());
  auto for_second = detail::section_of(first, second.offset(), second.local().size());
  detail::enter(first, second);
  std::ranges::move(for_first, first.local().begin());
  std::ranges::move(for_second, second.local().begin());
  detail::enter(first, second);
}

}  // namespace armature
