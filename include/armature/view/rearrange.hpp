#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "armature/algorithm/filter.hpp"
#include "armature/algorithm/group.hpp"
#include "armature/algorithm/merge.hpp"
#include "armature/algorithm/partial_sort.hpp"
#include "armature/algorithm/rearrange.hpp"
#include "armature/algorithm/replace.hpp"
#include "armature/algorithm/sort.hpp"
#include "armature/view/as_vector.hpp"
#include "armature/view/concepts.hpp"

// Algorithms that move the elements of a view, or write over them, where they lie: a stride of a
// vector is sorted, and what lies between stays. What holds of the same algorithm on a vector holds
// here; zipped views are sorted as tuples.
//
// Messages: those of the same algorithm on a vector, and an allgather and two meetings: the
// elements are copied into a vector and back. Of views that are not divided in order each member
// also puts and gets each run of its indices.

namespace armature {

template <WritableView V, class Less = std::less<>>
void sort(const V& of, Less less = {}) {
  return detail::change_as_vector(of,
                                  [&](auto&& all) { return armature::sort(all, std::move(less)); });
}
/// Equal elements stay in their order.
template <WritableView V, class Less = std::less<>>
void stable_sort(const V& of, Less less = {}) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::stable_sort(all, std::move(less)); });
}
template <WritableView V, class Less = std::less<>>
void partial_sort(const V& of, std::size_t n, Less less = {}) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::partial_sort(all, n, std::move(less)); });
}
template <WritableView V, class Less = std::less<>>
auto nth_element(const V& of, std::size_t n, Less less = {}) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::nth_element(all, n, std::move(less)); });
}
template <WritableView V, class Less = std::less<>>
void inplace_merge(const V& of, std::size_t middle, Less less = {}) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::inplace_merge(all, middle, std::move(less)); });
}
/// Sorts `keys`, and moves the elements of `values` as their keys move. Stable.
template <WritableElements Keys, WritableElements Values, class Less = std::less<>>
requires SomeViews<Keys, Values>
void sort_by_key(Keys&& keys, Values&& values, Less less = {}) {
  detail::change_as_vector(keys, [&](auto&& by) {
    detail::change_as_vector(
        values, [&](auto&& with) { armature::sort_by_key(by, with, std::move(less)); });
  });
}

/// These return how many elements come first, or are left.
template <WritableView V, class P>
auto partition(const V& of, P first) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::partition(all, std::move(first)); });
}
template <WritableView V, class P>
auto stable_partition(const V& of, P first) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::stable_partition(all, std::move(first)); });
}
template <WritableView V, class P>
auto remove_if(const V& of, P unwanted) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::remove_if(all, std::move(unwanted)); });
}
template <WritableView V>
auto remove(const V& of, const view_stored_t<V>& value) {
  return detail::change_as_vector(of, [&](auto&& all) { return armature::remove(all, value); });
}
template <WritableView V, class Equal = std::equal_to<>>
auto unique(const V& of, Equal equal = {}) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::unique(all, std::move(equal)); });
}

template <WritableView V>
void reverse(const V& of) {
  return detail::change_as_vector(of, [&](auto&& all) { return armature::reverse(all); });
}
template <WritableView V>
auto rotate(const V& of, std::size_t middle) {
  return detail::change_as_vector(of, [&](auto&& all) { return armature::rotate(all, middle); });
}
template <WritableView V>
auto shift_left(const V& of, std::size_t n) {
  return detail::change_as_vector(of, [&](auto&& all) { return armature::shift_left(all, n); });
}
template <WritableView V>
auto shift_right(const V& of, std::size_t n) {
  return detail::change_as_vector(of, [&](auto&& all) { return armature::shift_right(all, n); });
}
template <WritableElements A, WritableElements B>
requires SomeViews<A, B>
void swap_ranges(A&& a, B&& b) {
  detail::change_as_vector(a, [&](auto&& one) {
    detail::change_as_vector(b, [&](auto&& other) { armature::swap_ranges(one, other); });
  });
}

template <WritableView V, class P>
void replace_if(const V& of, P is_old, const view_stored_t<V>& value) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::replace_if(all, std::move(is_old), value); });
}
template <WritableView V>
void replace(const V& of, const view_stored_t<V>& old, const view_stored_t<V>& value) {
  return detail::change_as_vector(of,
                                  [&](auto&& all) { return armature::replace(all, old, value); });
}
template <WritableView V>
void fill_n(const V& of, std::size_t n, const view_stored_t<V>& value) {
  return detail::change_as_vector(of, [&](auto&& all) { return armature::fill_n(all, n, value); });
}
template <WritableView V, class F>
void generate_n(const V& of, std::size_t n, F f) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::generate_n(all, n, std::move(f)); });
}
template <WritableView V, class F>
void for_each_n(const V& of, std::size_t n, F f) {
  return detail::change_as_vector(
      of, [&](auto&& all) { return armature::for_each_n(all, n, std::move(f)); });
}

}  // namespace armature
