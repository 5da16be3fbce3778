#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "armature/array/arithmetic.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/reduce.hpp"
#include "armature/error.hpp"

// Reductions along some dimensions. All are collective, as in reduce.hpp.

namespace armature {

namespace detail {
/// Indices with one more, number `d`.
template <int N>
std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> with_index(
    const std::array<std::ptrdiff_t, static_cast<std::size_t>(N - 1)>& i, int d,
    std::ptrdiff_t index) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> more{};
  const auto at = static_cast<std::size_t>(d);
  for (std::size_t k = 0; k + 1 < more.size(); ++k) more[k < at ? k : k + 1] = i[k];
  more[at] = index;
  return more;
}
/// Indices without number `d`.
template <int N>
std::array<std::ptrdiff_t, static_cast<std::size_t>(N - 1)> without_index(
    const std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>& i, int d) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N - 1)> fewer{};
  for (std::size_t k = 0; k < fewer.size(); ++k)
    fewer[k] = i[k < static_cast<std::size_t>(d) ? k : k + 1];
  return fewer;
}
template <class T, int N>
void require_along(const distributed_array<T, N>& array, int d) {
  if (d < 0 || d >= N || array.extent(d) == 0)
    throw Error(Errc::bad_argument, "distributed_array '" + array.name() +
                                        "': nothing to combine along dimension " +
                                        std::to_string(d));
}
}  // namespace detail

/// Combines the elements of each line along dimension `d`: out(i, k) = the combination of all
/// array(i, j, k), if d is 1. Elements of a line are combined in the order of their indices if the
/// dimension is distributed in blocks. Throws Error(bad_argument) for a dimension that there is
/// not, one without indices, and an `out` of another shape.
template <class T, int N, class Op = std::plus<>>
void reduce_along(distributed_array<T, N - 1>& out, const distributed_array<T, N>& array, int d,
                  Op op = {}) {
  detail::require_along(array, d);
  if (out.shape() != detail::without_index<N>(array.shape(), d))
    throw Error(Errc::bad_argument, "distributed_array '" + array.name() + "' of " +
                                        array.all().section().shape_text() +
                                        ", combined along dimension " + std::to_string(d) +
                                        ", does not fit '" + out.name() + "' of " +
                                        out.all().section().shape_text());
  const detail::ArrayAxis& axis = array.layout().axis(d);
  // An element for each position that has some.
  std::vector<std::ptrdiff_t> lengths;
  for (int p = 0; p < axis.positions(); ++p) lengths.push_back(axis.count(p) > 0 ? 1 : 0);
  const std::ptrdiff_t parts = std::count(lengths.begin(), lengths.end(), 1);
  array.fence();
  distributed_array<T, N> partial(
      array.team(), array.name(),
      array.layout().replaced(d, detail::ArrayAxis("partial", Distribution::gen_block(lengths),
                                                   parts, axis.positions())));
  const auto from = array.local();
  detail::for_each_local(partial, [&](auto i) {
    T& sum = partial.local()[i];
    sum = from[i];
    for (++i[static_cast<std::size_t>(d)]; i[static_cast<std::size_t>(d)] < from.extent(d);
         ++i[static_cast<std::size_t>(d)])
      sum = op(sum, from[i]);
  });
  distributed_array<T, N> gathered(array.team(), array.name(), out.layout().inserted(d, parts));
  gathered.all() = partial.all();
  const auto lines = gathered.local();
  detail::for_each_local(out, [&](const auto& i) {
    auto at = detail::with_index<N>(i, d, 0);
    T sum = lines[at];
    while (++at[static_cast<std::size_t>(d)] < parts) sum = op(sum, lines[at]);
    out.local()[i] = sum;
  });
  out.fence();
}

/// Combines the elements along several dimensions: out has the others, in their order. Throws as
/// for one dimension, and if one is named twice.
template <class T, int M, int N, class Op = std::plus<>>
requires(M < N - 1) void reduce_along(distributed_array<T, M>& out,
                                      const distributed_array<T, N>& array,
                                      std::array<int, static_cast<std::size_t>(N - M)> dimensions,
                                      Op op = {}) {
  std::ranges::sort(dimensions);
  if (std::ranges::adjacent_find(dimensions) != dimensions.end())
    throw Error(Errc::bad_argument,
                "distributed_array '" + array.name() + "': combined along a dimension twice");
  const int last = dimensions.back();
  detail::require_along(array, last);
  const auto shape = detail::without_index<N>(array.shape(), last);
  distributed_array<T, N - 1> fewer(array.team(), shape, {.name = array.name()});
  reduce_along(fewer, array, last, op);
  if constexpr (N - M == 2) {
    reduce_along(out, fewer, dimensions.front(), op);
  } else {
    std::array<int, static_cast<std::size_t>(N - 1 - M)> rest{};
    std::copy_n(dimensions.begin(), rest.size(), rest.begin());
    reduce_along(out, fewer, rest, op);
  }
}

/// For each line along dimension `d`: the element that comes first by `is_before`, and its index
/// there; of equals the smallest (Fortran's MINLOC with DIM). Throws as reduce_along does.
template <class T, int N, class Before>
void first_along(distributed_array<T, N - 1>& values,
                 distributed_array<std::ptrdiff_t, N - 1>& places,
                 const distributed_array<T, N>& array, int d, Before is_before) {
  struct Located {
    T value;
    std::ptrdiff_t at;
  };
  detail::require_along(array, d);
  array.fence();
  auto located = distributed_array<Located, N>::like(array, array.name());
  detail::for_each_local(array, [&](const auto& i) {
    located.local()[i] = {array.local()[i], array.global(i)[static_cast<std::size_t>(d)]};
  });
  auto first = distributed_array<Located, N - 1>::like(values, values.name());
  reduce_along(first, located, d, [&is_before](const Located& a, const Located& b) {
    if (is_before(a.value, b.value)) return a;
    if (is_before(b.value, a.value)) return b;
    return a.at < b.at ? a : b;
  });
  transform(
      values, [](const Located& one) { return one.value; }, first);
  transform(
      places, [](const Located& one) { return one.at; }, first);
}
template <class T, int N>
void minimum_along(distributed_array<T, N - 1>& values,
                   distributed_array<std::ptrdiff_t, N - 1>& places,
                   const distributed_array<T, N>& array, int d) {
  first_along(values, places, array, d, std::less<>());
}
template <class T, int N>
void maximum_along(distributed_array<T, N - 1>& values,
                   distributed_array<std::ptrdiff_t, N - 1>& places,
                   const distributed_array<T, N>& array, int d) {
  first_along(values, places, array, d, std::greater<>());
}

}  // namespace armature
