#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/algorithm/find.hpp"
#include "armature/collectives.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/range.hpp"
#include "armature/view/combine.hpp"
#include "armature/view/concepts.hpp"

// Algorithms on views. Functions are called by the member that has the element, in the order of
// local(). Those that take several arguments get the parts of a tuple or pair. What holds of all
// algorithms stands in algorithm/apply.hpp.
//
// Messages: those of the same algorithm on a vector, and what the view fetches.

namespace armature {

/// f(element), which may change it where the view allows that.
template <ElementView V, class F>
void for_each(const V& of, F f) {
  of.fence();
  auto elements = of.local();
  // Nobody writes before all have fetched.
  if constexpr (detail::is_fetched<V>) of.fence();
  for (auto&& element : elements) detail::call_with(f, std::forward<decltype(element)>(element));
  of.fence();
}

/// element = value.
template <ElementView V>
void fill(const V& of, const view_value_t<V>& value) {
  armature::for_each(of, [&value](auto&& element) { element = value; });
}

/// element = f(index).
template <IndexedView V, std::invocable<std::size_t> F>
void generate(const V& of, F f) {
  of.fence();
  auto elements = of.local();
  // Nobody writes before all have fetched.
  if constexpr (detail::is_fetched<V>) of.fence();
  auto indices = of.indices();
  auto index = indices.begin();
  for (auto&& element : elements) element = f(*index++);
  of.fence();
}

/// op over init and term(element) of all elements: op must be associative, and for views that are
/// not divided in order (of maps, sets, transposed, of sections) commute.
template <ElementView V, Marshallable T, class Op, class Term>
[[nodiscard]] T transform_reduce(const V& of, T init, Op op, Term term) {
  of.fence();
  std::optional<T> mine;
  for (auto&& element : of.local()) {
    T value = static_cast<T>(detail::call_with(term, std::forward<decltype(element)>(element)));
    mine = mine ? static_cast<T>(op(*std::move(mine), std::move(value))) : std::move(value);
  }
  const auto total =
      detail::combine_values(of.team(), mine, [&op](T a, const T& b) { return T(op(a, b)); });
  return total ? static_cast<T>(op(std::move(init), *total)) : init;
}
template <ElementView V, Marshallable T, class Op = std::plus<>>
[[nodiscard]] T reduce(const V& of, T init, Op op = {}) {
  return armature::transform_reduce(of, std::move(init), std::move(op), std::identity());
}

template <ElementView V, class P>
[[nodiscard]] std::size_t count_if(const V& of, P is_counted) {
  return armature::transform_reduce(of, std::size_t{0}, std::plus<>(), [&](auto&& element) {
    return std::size_t{detail::call_with(is_counted, element) ? 1U : 0U};
  });
}
template <ElementView V>
[[nodiscard]] std::size_t count(const V& of, const view_value_t<V>& value) {
  return armature::count_if(of, [&value](const auto& element) { return element == value; });
}
template <ElementView V, class P>
[[nodiscard]] bool any_of(const V& of, P holds) {
  return armature::count_if(of, std::move(holds)) > 0;
}
template <ElementView V, class P>
[[nodiscard]] bool none_of(const V& of, P holds) {
  return armature::count_if(of, std::move(holds)) == 0;
}
template <ElementView V, class P>
[[nodiscard]] bool all_of(const V& of, P holds) {
  return armature::count_if(
             of, [&](auto&& element) { return !detail::call_with(holds, element); }) == 0;
}

/// The index of the first of the smallest elements, and of the largest.
template <IndexedView V, class Less = std::less<>>
[[nodiscard]] std::optional<std::size_t> min_element(const V& of, Less less = {}) {
  static_assert(!detail::is_of_local_memory<view_value_t<V>>,
                "members cannot compare each other's windows, pieces and lines: compare values "
                "that views::transformed makes of them");
  using Best = detail::Placed<view_value_t<V>>;
  of.fence();
  const auto better = [&less](const Best& a, const Best& b) {
    return less(a.value, b.value) || (!less(b.value, a.value) && a.index < b.index);
  };
  std::optional<Best> mine;
  auto elements = of.local();
  auto indices = of.indices();
  auto index = indices.begin();
  for (auto&& element : elements) {
    Best one{element, *index++};
    if (!mine || better(one, *mine)) mine = std::move(one);
  }
  return detail::index_of(detail::combine_values(
      of.team(), mine, [&](const Best& a, const Best& b) { return better(b, a) ? b : a; }));
}
template <IndexedView V, class Less = std::less<>>
[[nodiscard]] std::optional<std::size_t> max_element(const V& of, Less less = {}) {
  return armature::min_element(of, [&less](const auto& a, const auto& b) { return less(b, a); });
}

/// out[i] = f(element i). Throws Error(bad_argument) when `out` is not as long as the view.
/// Elements of consecutive indices are put together.
template <IndexedView V, WritableDistributedRange Out, class F>
void transform(const V& of, Out&& out, F f) {
  const auto to = out.view();
  detail::require_same_size("transform", of, to);
  of.fence();
  to.fence();
  std::vector<range_value_t<Out>> run;
  std::size_t first = 0;
  const auto put_run = [&] {
    if (!run.empty()) to.write(first, std::span<const range_value_t<Out>>(run));
    run.clear();
  };
  // A neighbour may still read what lies in `out`.
  std::vector<range_value_t<Out>> made;
  for (auto&& element : of.local())
    made.push_back(static_cast<range_value_t<Out>>(
        detail::call_with(f, std::forward<decltype(element)>(element))));
  to.fence();
  auto indices = of.indices();
  auto index = indices.begin();
  for (auto& value : made) {
    const std::size_t i = *index++;
    if (i != first + run.size()) put_run();
    if (run.empty()) first = i;
    run.push_back(std::move(value));
  }
  put_run();
  to.fence();
}

/// The elements to `out`, which must be as long at least. Those without indices follow each other
/// from the beginning, in team order; then it is Error(bad_argument) on all members if there are
/// more than `out` has. Returns how many there are.
template <ElementView V, WritableDistributedRange Out>
std::size_t copy(const V& of, Out&& out) {
  const auto to = out.view();
  detail::require_same_members("copy", of, to);
  if constexpr (IndexedView<V>) {
    if (of.size() > to.size()) detail::require_same_size("copy", of, to);
    armature::transform(of, to.slice(0, of.size()), std::identity());
    return of.size();
  } else {
    of.fence();
    std::vector<range_value_t<Out>> mine;
    for (auto&& element : of.local()) mine.push_back(std::forward<decltype(element)>(element));
    const auto blocks = Blocks::of(allgather(of.team(), mine.size()));
    if (blocks.size() > to.size())
      throw Error(Errc::bad_argument, "copy: a view has " + std::to_string(blocks.size()) +
                                          " elements, the range for them " +
                                          std::to_string(to.size()));
    to.fence();
    to.write(blocks.first(of.team().rank()), std::span<const range_value_t<Out>>(mine));
    to.fence();
    return blocks.size();
  }
}

}  // namespace armature
