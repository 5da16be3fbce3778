#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "armature/algorithm/compare.hpp"
#include "armature/algorithm/find.hpp"
#include "armature/algorithm/group.hpp"
#include "armature/algorithm/merge.hpp"
#include "armature/algorithm/reduce.hpp"
#include "armature/algorithm/search.hpp"
#include "armature/algorithm/top.hpp"
#include "armature/view/as_vector.hpp"
#include "armature/view/concepts.hpp"

// Algorithms on views that find something, or compare. Where there are two, either may be a vector
// or a section of one.
//
// Messages: those of the same algorithm on a vector, and an allgather and a meeting for each view:
// its elements are copied into a vector. Of views that are not divided in order each member also
// puts each run of its indices.

namespace armature {

template <CopiedView V, class P>
[[nodiscard]] std::optional<std::size_t> find_if(const V& of, P wanted) {
  return armature::find_if(detail::as_vector(of), std::move(wanted));
}
template <CopiedView V>
[[nodiscard]] std::optional<std::size_t> find(const V& of, const view_stored_t<V>& value) {
  return armature::find(detail::as_vector(of), value);
}
template <CopiedView V, class P>
[[nodiscard]] std::optional<std::size_t> find_if_not(const V& of, P unwanted) {
  return armature::find_if_not(detail::as_vector(of), std::move(unwanted));
}
template <CopiedView V, std::ranges::forward_range Values, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> find_first_of(const V& of, const Values& values,
                                                       Equal equal = {}) {
  return armature::find_first_of(detail::as_vector(of), values, std::move(equal));
}
template <CopiedView V, std::ranges::forward_range Values, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> search(const V& of, const Values& pattern,
                                                Equal equal = {}) {
  return armature::search(detail::as_vector(of), pattern, std::move(equal));
}
template <CopiedView V, std::ranges::forward_range Values, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> find_end(const V& of, const Values& pattern,
                                                  Equal equal = {}) {
  return armature::find_end(detail::as_vector(of), pattern, std::move(equal));
}
template <CopiedView V, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> search_n(const V& of, std::size_t n,
                                                  const view_stored_t<V>& value, Equal equal = {}) {
  return armature::search_n(detail::as_vector(of), n, value, std::move(equal));
}
template <CopiedView V, class Equal = std::equal_to<>>
[[nodiscard]] std::optional<std::size_t> adjacent_find(const V& of, Equal equal = {}) {
  return armature::adjacent_find(detail::as_vector(of), std::move(equal));
}
template <CopiedView V, class Less = std::less<>>
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> minmax_element(const V& of,
                                                                                Less less = {}) {
  return armature::minmax_element(detail::as_vector(of), std::move(less));
}

template <CopiedView V, class Less = std::less<>>
[[nodiscard]] std::size_t is_sorted_until(const V& of, Less less = {}) {
  return armature::is_sorted_until(detail::as_vector(of), std::move(less));
}
template <CopiedView V, class Less = std::less<>>
[[nodiscard]] bool is_sorted(const V& of, Less less = {}) {
  return armature::is_sorted(detail::as_vector(of), std::move(less));
}
template <CopiedView V, class P>
[[nodiscard]] bool is_partitioned(const V& of, P first) {
  return armature::is_partitioned(detail::as_vector(of), std::move(first));
}
template <CopiedView V, class Less = std::less<>>
[[nodiscard]] std::size_t is_heap_until(const V& of, Less less = {}) {
  return armature::is_heap_until(detail::as_vector(of), std::move(less));
}
template <CopiedView V, class Less = std::less<>>
[[nodiscard]] bool is_heap(const V& of, Less less = {}) {
  return armature::is_heap(detail::as_vector(of), std::move(less));
}

template <Elements A, Elements B, class Equal = std::equal_to<>>
requires SomeViews<A, B>
[[nodiscard]] std::optional<std::size_t> mismatch(const A& a, const B& b, Equal equal = {}) {
  return armature::mismatch(detail::as_vector(a), detail::as_vector(b), std::move(equal));
}
template <Elements A, Elements B, class Equal = std::equal_to<>>
requires SomeViews<A, B>
[[nodiscard]] bool equal(const A& a, const B& b, Equal is_equal = {}) {
  return armature::equal(detail::as_vector(a), detail::as_vector(b), std::move(is_equal));
}
template <Elements A, Elements B, class Less = std::less<>>
requires SomeViews<A, B>
[[nodiscard]] bool lexicographical_compare(const A& a, const B& b, Less less = {}) {
  return armature::lexicographical_compare(detail::as_vector(a), detail::as_vector(b),
                                           std::move(less));
}
/// Both must be sorted.
template <Elements A, Elements B, class Less = std::less<>>
requires SomeViews<A, B>
[[nodiscard]] bool includes(const A& a, const B& b, Less less = {}) {
  return armature::includes(detail::as_vector(a), detail::as_vector(b), std::move(less));
}
template <Elements A, Elements B, Marshallable T, class Op = std::plus<>,
          class Term = std::multiplies<>>
requires SomeViews<A, B>
[[nodiscard]] T inner_product(const A& a, const B& b, T init, Op op = {}, Term term = {}) {
  return armature::inner_product(detail::as_vector(a), detail::as_vector(b), std::move(init),
                                 std::move(op), std::move(term));
}

// -- of views without indices, too --------------------------------------------------------------

/// The element that would be at index n if they were sorted. n < how many there are.
template <ElementView V, class Less = std::less<>>
[[nodiscard]] view_stored_t<V> nth_value(const V& of, std::size_t n, Less less = {}) {
  return armature::nth_value(detail::as_vector(of), n, std::move(less));
}
/// The first `count` of the elements if they were sorted by `before`; fewer where there are fewer.
template <ElementView V, class Before = std::greater<>>
[[nodiscard]] std::vector<view_stored_t<V>> top(const V& of, std::size_t count,
                                                Before before = {}) {
  return armature::top(detail::as_vector(of), count, std::move(before));
}
/// How many elements have each bin_of(element) within [0, bins).
template <ElementView V, class F>
[[nodiscard]] std::vector<std::size_t> histogram(const V& of, std::size_t bins, F bin_of) {
  of.fence();
  std::vector<std::size_t> counts(bins);
  for (auto&& element : of.local()) {
    const auto bin = detail::call_with(bin_of, element);
    if (bin >= decltype(bin){} && static_cast<std::size_t>(bin) < bins)
      ++counts[static_cast<std::size_t>(bin)];
  }
  allreduce(of.team(), std::span<std::size_t>(counts));
  return counts;
}

}  // namespace armature
