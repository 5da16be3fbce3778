#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/container/range.hpp"
#include "armature/container/vector.hpp"
#include "armature/view/algorithms.hpp"
#include "armature/view/all.hpp"
#include "armature/view/concepts.hpp"

// Algorithms that move elements, or look from one member's to the next one's, work on vectors. The
// elements of other views are copied into one that is divided alike, and back where they change.

namespace armature {
namespace detail {

/// An element as a value of its own: of a tuple of references, what they refer to.
template <class T>
struct StoredElement {
  using type = T;
};
template <class... T>
struct StoredElement<std::tuple<T...>> {
  using type = std::tuple<std::remove_cvref_t<T>...>;
};

/// Whether assigning to a T changes what lies in the container.
template <class T>
inline constexpr bool is_written =
    std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>;
template <class... T>
inline constexpr bool is_written<std::tuple<T...>> = (is_written<T> && ...);

template <class V>
inline constexpr bool is_range_view = false;
template <class T>
inline constexpr bool is_range_view<range_view<T>> = true;

}  // namespace detail

template <ElementView V>
using view_stored_t = typename detail::StoredElement<view_value_t<V>>::type;

/// A view whose elements may be written, each at its index.
template <class V>
concept WritableView =
    IndexedView<V> && detail::is_written<view_reference_t<V>> && Marshallable<view_stored_t<V>>;
/// One whose elements, each at its index, may be copied to other members.
template <class V>
concept CopiedView = IndexedView<V> && !detail::is_of_local_memory<view_value_t<V>> &&
                     Marshallable<view_stored_t<V>>;

/// Vectors, sections of them and views.
template <class R>
concept Elements = DistributedRange<R> || CopiedView<std::remove_cvref_t<R>>;
template <class R>
concept WritableElements = WritableDistributedRange<R> || WritableView<std::remove_cvref_t<R>>;
/// Views among the arguments of an algorithm.
template <class... R>
concept SomeViews = (ElementView<std::remove_cvref_t<R>> || ...);

namespace detail {

/// Collective: the elements as a vector, divided as the view is where that is divided in order.
template <DistributedRange R>
auto as_vector(R&& range) {
  return range.view();
}
template <class T>
distributed_range<T> as_vector(const range_view<T>& of) {
  return of.range();
}
template <ElementView V>
distributed_vector<view_stored_t<V>> as_vector(const V& of) {
  using T = view_stored_t<V>;
  if constexpr (IndexedView<V> && !DividedView<V>) {
    distributed_vector<T> all(of.team(), of.size());
    armature::transform(of, all, [](const auto& element) { return T(element); });
    return all;
  } else {
    of.fence();
    std::vector<T> mine;
    for (auto&& element : of.local()) mine.push_back(T(element));
    return distributed_vector<T>::from_local(of.team(), std::move(mine));
  }
}

/// Collective: gives each element of the view its value in the vector.
template <WritableView V, class T>
void put_back(const V& of, const distributed_vector<T>& from) {
  auto elements = of.local();
  if constexpr (DividedView<V>) {
    auto value = from.local().begin();
    for (auto&& element : elements) element = *value++;
  } else {
    auto indices = of.indices();
    std::vector<T> run;
    std::size_t done = 0;  // of the run
    auto index = indices.begin();
    for (auto&& element : elements) {
      if (done == run.size()) {
        std::size_t length = 1;
        while (index + static_cast<std::ptrdiff_t>(length) != indices.end() &&
               index[static_cast<std::ptrdiff_t>(length)] == *index + length)
          ++length;
        run = from.read(*index, length);
        index += static_cast<std::ptrdiff_t>(length);
        done = 0;
      }
      element = run[done++];
    }
  }
  of.fence();
}

/// Collective: calls change(vector) with the elements, which become what they are there then.
/// Returns what it returns.
template <WritableElements R, class F>
auto change_as_vector(R&& of, F change) {
  using V = std::remove_cvref_t<R>;
  if constexpr (DistributedRange<R> || is_range_view<V>) {
    return change(as_vector(of));
  } else if constexpr (std::is_void_v<decltype(change(as_vector(of)))>) {
    auto all = as_vector(of);
    change(all);
    put_back(of, all);
  } else {
    auto all = as_vector(of);
    const auto result = change(all);
    put_back(of, all);
    return result;
  }
}

}  // namespace detail
}  // namespace armature
