#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/accumulate.hpp"
#include "armature/array/agreement.hpp"
#include "armature/array/arithmetic.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/transfers.hpp"
#include "armature/array/use.hpp"
#include "armature/error.hpp"

// Elements that are named by subscript arrays, which are distributed themselves: HPF's vector
// subscripts, and Adlib's gather and scatter. There is one subscript array of integers for each
// dimension, all of the shape of the values; std::tie(i, j) names them. Those that are not aligned
// with the values are copied first. Each member moves its own values: one operation for each member
// that has some of the elements.
//
// All are collective, and the arrays belong to the same team. What was written before is seen by
// them, and what they write is seen by all after. Subscripts outside throw Error(bad_argument) on
// every member, which names the array, the index and the bound, before anything is written.

namespace armature {

namespace detail {

template <class S>
inline constexpr int dimensions_of = std::remove_cvref_t<S>::dimensions();

/// N subscript arrays of M dimensions.
template <int N, int M, class... S>
concept Subscripts = sizeof...(S) == static_cast<std::size_t>(N) &&
                     (std::integral<typename std::remove_cvref_t<S>::value_type> && ...) &&
                     ((dimensions_of<S> == M) && ...);

/// The caller's part of an array of values, dense, and the indices that go with it.
template <class T, int N>
struct SubscriptedValues {
  std::vector<std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>> indices;
  std::unique_ptr<T[]> values;
};

template <int N, class T, int M, class... I>
SubscriptedValues<T, N> subscripted(const distributed_array<T, M>& values,
                                    const distributed_array<I, M>&... at) {
  (require_same_shape(values, at, "subscripts"), ...);
  SubscriptedValues<T, N> all;
  const auto count = static_cast<std::size_t>(values.local().size());
  all.indices.reserve(count);
  all.values = std::make_unique_for_overwrite<T[]>(count);
  [&](const AlignedOperand<I, M>&... operands) {
    T* next = all.values.get();
    for_rows(
        values.local_memory().data(), &values.store().block(),
        [&](std::ptrdiff_t n, const T* from, const I*... index) {
          next = std::copy_n(from, n, next);
          for (std::ptrdiff_t i = 0; i < n; ++i)
            all.indices.push_back({static_cast<std::ptrdiff_t>(index[i])...});
        },
        operands...);
  }(AlignedOperand<I, M>(values, at)...);
  return all;
}

/// Moves the values, unless a member has subscripts that there are not.
template <class T, int N>
void move_subscripted(const distributed_array<T, N>& array, ArrayTransfers& transfers,
                      SubscriptedValues<T, N>& mine) {
  std::string wrong;
  try {
    if (!mine.indices.empty())
      array.store().add_elements(mine.indices.front().data(), mine.indices.size(),
                                 reinterpret_cast<std::byte*>(mine.values.get()), transfers);
  } catch (const Error& error) {
    if (error.code() != Errc::bad_argument) throw;
    wrong = error.what();
  }
  require_no_mistake(array.team(), wrong);
  transfers.perform();
}

template <class T, int N, int M, class... S>
void scatter_subscripted(distributed_array<T, N>& array, const std::tuple<S...>& at,
                         const distributed_array<T, M>& from, ArrayTransfers& transfers) {
  array.store().require_use(ArrayStore::use_of(transfers.verb()),
                            [] { return "elements that subscripts name"; });
  array.fence();
  auto mine = std::apply([&](const auto&... i) { return subscripted<N>(from, i...); }, at);
  // One of the members that have copies of the same values moves them.
  if (!from.store().layout().placement().is_original(array.team().rank())) mine.indices.clear();
  move_subscripted(array, transfers, mine);
  array.fence();
}

}  // namespace detail

/// to(k...) = array(i(k...), j(k...), ...) for each element of `to`. It may be `array` itself: all
/// is read before anything is written.
template <class T, int N, int M, class... S>
requires detail::Subscripts<N, M, S...>
void gather(const distributed_array<T, N>& array, const std::tuple<S...>& at,
            distributed_array<T, M>& to) {
  array.store().require_use(detail::ArrayUse::get, [] { return "elements that subscripts name"; });
  array.fence();
  auto mine = std::apply([&](const auto&... i) { return detail::subscripted<N>(to, i...); }, at);
  detail::ArrayTransfers transfers(detail::ArrayTransfers::Verb::get, sizeof(T));
  detail::move_subscripted(array, transfers, mine);
  to.fence();
  const T* next = mine.values.get();
  detail::for_rows(to.local_memory().data(), &to.store().block(),
                   [&next](std::ptrdiff_t n, T* row) {
                     std::copy_n(next, n, row);
                     next += n;
                   });
  to.fence();
}

/// array(i(k...), j(k...), ...) = from(k...) for each element of `from`. If an element is named
/// several times, one of its values stays.
template <class T, int N, int M, class... S>
requires detail::Subscripts<N, M, S...>
void scatter(distributed_array<T, N>& array, const std::tuple<S...>& at,
             const distributed_array<T, M>& from) {
  detail::ArrayTransfers transfers(detail::ArrayTransfers::Verb::put, sizeof(T));
  detail::scatter_subscripted(array, at, from, transfers);
}

/// array(i(k...), j(k...), ...) += scale * from(k...) for each element of `from`, atomically. An
/// element may be named several times. Throws Error(bad_argument), too, if `from` is replicated.
template <Accumulable T, int N, int M, class... S>
requires detail::Subscripts<N, M, S...>
void scatter_accumulate(distributed_array<T, N>& array, const std::tuple<S...>& at,
                        const distributed_array<T, M>& from, std::type_identity_t<T> scale = T(1)) {
  if (from.store().is_replicated())
    throw Error(Errc::bad_argument, "distributed_array '" + from.name() +
                                        "' is replicated: each copy of its values would be added");
  detail::ArrayTransfers transfers(detail::ArrayTransfers::Verb::accumulate, sizeof(T));
  transfers.accumulate_by(detail::element_of<T>, &scale);
  detail::scatter_subscripted(array, at, from, transfers);
}

}  // namespace armature
