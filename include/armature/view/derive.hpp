#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>

#include "armature/algorithm/filter.hpp"
#include "armature/algorithm/merge.hpp"
#include "armature/algorithm/partial_sort.hpp"
#include "armature/algorithm/rearrange.hpp"
#include "armature/algorithm/replace.hpp"
#include "armature/algorithm/scan.hpp"
#include "armature/algorithm/scan_by_key.hpp"
#include "armature/view/as_vector.hpp"
#include "armature/view/concepts.hpp"

// Algorithms from views to others: scans, merges, sets and copies. Each argument is a view, a
// vector or a section of one, and at least one is a view. What holds of the same algorithm on
// vectors holds here.
//
// Messages: those of the same algorithm on vectors, and an allgather and a meeting for each view:
// its elements are copied into a vector. Of views that are not divided in order each member also
// puts each run of its indices, or gets it where it is the output.

namespace armature {

template <Elements In, WritableElements Out, class Op = std::plus<>>
requires SomeViews<In, Out>
auto inclusive_scan(const In& in, Out&& out, Op op = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::inclusive_scan(detail::as_vector(in), to, std::move(op));
  });
}
template <Elements In, WritableElements Out, class Op, class T>
requires SomeViews<In, Out>
auto inclusive_scan(const In& in, Out&& out, Op op, T init) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::inclusive_scan(detail::as_vector(in), to, std::move(op), std::move(init));
  });
}
template <Elements In, WritableElements Out, class Op, class Term>
requires SomeViews<In, Out>
auto transform_inclusive_scan(const In& in, Out&& out, Op op, Term term) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::transform_inclusive_scan(detail::as_vector(in), to, std::move(op),
                                              std::move(term));
  });
}
template <Elements In, WritableElements Out, class Op, class Term, class T>
requires SomeViews<In, Out>
auto transform_inclusive_scan(const In& in, Out&& out, Op op, Term term, T init) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::transform_inclusive_scan(detail::as_vector(in), to, std::move(op),
                                              std::move(term), std::move(init));
  });
}
template <Elements In, WritableElements Out, class T, class Op = std::plus<>>
requires SomeViews<In, Out>
auto exclusive_scan(const In& in, Out&& out, T init, Op op = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::exclusive_scan(detail::as_vector(in), to, std::move(init), std::move(op));
  });
}
template <Elements In, WritableElements Out, class T, class Op, class Term>
requires SomeViews<In, Out>
auto transform_exclusive_scan(const In& in, Out&& out, T init, Op op, Term term) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::transform_exclusive_scan(detail::as_vector(in), to, std::move(init),
                                              std::move(op), std::move(term));
  });
}
template <Elements In, WritableElements Out, class Op = std::minus<>>
requires SomeViews<In, Out>
auto adjacent_difference(const In& in, Out&& out, Op op = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::adjacent_difference(detail::as_vector(in), to, std::move(op));
  });
}

/// Scans that restart where the key changes.
template <Elements Keys, Elements Values, WritableElements Out, class Op = std::plus<>,
          class Equal = std::equal_to<>>
requires SomeViews<Keys, Values, Out>
void inclusive_scan_by_key(const Keys& keys, const Values& values, Out&& out, Op op = {},
                           Equal equal = {}) {
  detail::change_as_vector(out, [&](auto&& to) {
    armature::inclusive_scan_by_key(detail::as_vector(keys), detail::as_vector(values), to,
                                    std::move(op), std::move(equal));
  });
}
template <Elements Keys, Elements Values, WritableElements Out, class T, class Op = std::plus<>,
          class Equal = std::equal_to<>>
requires SomeViews<Keys, Values, Out>
void exclusive_scan_by_key(const Keys& keys, const Values& values, Out&& out, T init, Op op = {},
                           Equal equal = {}) {
  detail::change_as_vector(out, [&](auto&& to) {
    armature::exclusive_scan_by_key(detail::as_vector(keys), detail::as_vector(values), to,
                                    std::move(init), std::move(op), std::move(equal));
  });
}

/// These return how many elements they have written.
template <Elements In, WritableElements Out, class P>
requires SomeViews<In, Out>
auto copy_if(const In& in, Out&& out, P wanted) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::copy_if(detail::as_vector(in), to, std::move(wanted));
  });
}
template <Elements In, WritableElements Out, class P>
requires SomeViews<In, Out>
auto remove_copy_if(const In& in, Out&& out, P unwanted) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::remove_copy_if(detail::as_vector(in), to, std::move(unwanted));
  });
}
template <Elements In, WritableElements Out, class T>
requires SomeViews<In, Out>
auto remove_copy(const In& in, Out&& out, const T& value) {
  return detail::change_as_vector(
      out, [&](auto&& to) { return armature::remove_copy(detail::as_vector(in), to, value); });
}
template <Elements In, WritableElements Out, class Equal = std::equal_to<>>
requires SomeViews<In, Out>
auto unique_copy(const In& in, Out&& out, Equal equal = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::unique_copy(detail::as_vector(in), to, std::move(equal));
  });
}
template <Elements In, WritableElements Out, class Less = std::less<>>
requires SomeViews<In, Out>
auto partial_sort_copy(const In& in, Out&& out, Less less = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::partial_sort_copy(detail::as_vector(in), to, std::move(less));
  });
}
template <Elements In, WritableElements Out, WritableElements OutFalse, class P>
requires SomeViews<In, Out, OutFalse> std::pair<std::size_t, std::size_t> partition_copy(
    const In& in, Out&& out_true, OutFalse&& out_false, P first) {
  return detail::change_as_vector(out_true, [&](auto&& to) {
    return detail::change_as_vector(out_false, [&](auto&& others) {
      return armature::partition_copy(detail::as_vector(in), to, others, std::move(first));
    });
  });
}

template <Elements In, WritableElements Out>
requires SomeViews<In, Out>
auto reverse_copy(const In& in, Out&& out) {
  return detail::change_as_vector(
      out, [&](auto&& to) { return armature::reverse_copy(detail::as_vector(in), to); });
}
template <Elements In, WritableElements Out>
requires SomeViews<In, Out>
void rotate_copy(const In& in, std::size_t middle, Out&& out) {
  detail::change_as_vector(
      out, [&](auto&& to) { armature::rotate_copy(detail::as_vector(in), middle, to); });
}
template <Elements In, WritableElements Out>
requires SomeViews<In, Out>
void copy_n(const In& in, std::size_t n, Out&& out) {
  detail::change_as_vector(out, [&](auto&& to) { armature::copy_n(detail::as_vector(in), n, to); });
}
template <Elements In, WritableElements Out, class P, class T>
requires SomeViews<In, Out>
void replace_copy_if(const In& in, Out&& out, P is_old, const T& value) {
  detail::change_as_vector(out, [&](auto&& to) {
    armature::replace_copy_if(detail::as_vector(in), to, std::move(is_old), value);
  });
}
template <Elements In, WritableElements Out, class T>
requires SomeViews<In, Out>
void replace_copy(const In& in, Out&& out, const T& old, const T& value) {
  detail::change_as_vector(
      out, [&](auto&& to) { armature::replace_copy(detail::as_vector(in), to, old, value); });
}

// -- of sorted ones: they return how many elements they have written ----------------------------

template <Elements A, Elements B, WritableElements Out, class Less = std::less<>>
requires SomeViews<A, B, Out> std::size_t merge(const A& a, const B& b, Out&& out, Less less = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::merge(detail::as_vector(a), detail::as_vector(b), to, std::move(less));
  });
}
template <Elements A, Elements B, WritableElements Out, class Less = std::less<>>
requires SomeViews<A, B, Out> std::size_t set_union(const A& a, const B& b, Out&& out,
                                                    Less less = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::set_union(detail::as_vector(a), detail::as_vector(b), to, std::move(less));
  });
}
template <Elements A, Elements B, WritableElements Out, class Less = std::less<>>
requires SomeViews<A, B, Out> std::size_t set_intersection(const A& a, const B& b, Out&& out,
                                                           Less less = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::set_intersection(detail::as_vector(a), detail::as_vector(b), to,
                                      std::move(less));
  });
}
template <Elements A, Elements B, WritableElements Out, class Less = std::less<>>
requires SomeViews<A, B, Out> std::size_t set_difference(const A& a, const B& b, Out&& out,
                                                         Less less = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::set_difference(detail::as_vector(a), detail::as_vector(b), to,
                                    std::move(less));
  });
}
template <Elements A, Elements B, WritableElements Out, class Less = std::less<>>
requires SomeViews<A, B, Out> std::size_t set_symmetric_difference(const A& a, const B& b,
                                                                   Out&& out, Less less = {}) {
  return detail::change_as_vector(out, [&](auto&& to) {
    return armature::set_symmetric_difference(detail::as_vector(a), detail::as_vector(b), to,
                                              std::move(less));
  });
}

}  // namespace armature
