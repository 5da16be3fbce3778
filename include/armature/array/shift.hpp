#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "armature/array/arithmetic.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/schedule.hpp"
#include "armature/array/section_transform.hpp"
#include "armature/error.hpp"

// Shifts along a dimension by any number of places: element i of the result is element i + by. The
// arrays are of the same shape and any distributions, and may be the same one. All are collective.
// A loop that shifts again and again plans it once:
//
//     copy_schedule(out.all(), a.periodic({Range(by, by + n)}))

namespace armature {

namespace detail {
/// The ranges of both sides of a shift: those indices whose partner there is.
template <int N>
struct ShiftedRanges {
  std::array<Range, static_cast<std::size_t>(N)> to, from;
  Range rest;  // the indices of dimension d that have no partner
};

template <class T, int N>
void require_dimension(const distributed_array<T, N>& array, int d) {
  if (d < 0 || d >= N)
    throw Error(Errc::bad_argument, "distributed_array '" + array.name() +
                                        "': there is no dimension " + std::to_string(d) +
                                        ", it has " + std::to_string(N));
}

template <class T, int N>
ShiftedRanges<N> shifted_ranges(const distributed_array<T, N>& array, std::ptrdiff_t by, int d) {
  require_dimension(array, d);
  const std::ptrdiff_t n = array.extent(d);
  by = std::clamp(by, -n, n);
  ShiftedRanges<N> ranges;
  const auto at = static_cast<std::size_t>(d);
  ranges.to[at] = by >= 0 ? Range(0, n - by) : Range(-by, n);
  ranges.from[at] = by >= 0 ? Range(by, n) : Range(0, n + by);
  ranges.rest = by >= 0 ? Range(n - by, n) : Range(0, -by);
  return ranges;
}
}  // namespace detail

/// The array goes on at its other end (Fortran's CSHIFT). Throws Error(bad_argument) for a
/// dimension that there is not, and arrays of different shapes.
template <class T, int N>
void cshift(distributed_array<T, N>& out, const distributed_array<T, N>& a, std::ptrdiff_t by,
            int d = 0) {
  detail::require_dimension(a, d);
  const std::ptrdiff_t n = a.extent(d);
  typename distributed_array<T, N>::Ranges from{};
  const std::ptrdiff_t first = n == 0 ? 0 : (by % n + n) % n;
  from[static_cast<std::size_t>(d)] = Range::of(first, n);
  out.all() = a.periodic(from);
}
/// Elements whose partner lies outside stay as they are.
template <class T, int N>
void shift(distributed_array<T, N>& out, const distributed_array<T, N>& a, std::ptrdiff_t by,
           int d = 0) {
  const auto ranges = detail::shifted_ranges(a, by, d);
  detail::require_same_shape(out, a, "a shift");
  out[ranges.to] = a[ranges.from];
}
/// Elements whose partner lies outside become `boundary` (Fortran's EOSHIFT).
template <class T, int N>
void eoshift(distributed_array<T, N>& out, const distributed_array<T, N>& a, std::ptrdiff_t by,
             const std::type_identity_t<T>& boundary = T(), int d = 0) {
  shift(out, a, by, d);
  typename distributed_array<T, N>::Ranges rest{};
  rest[static_cast<std::size_t>(d)] = detail::shifted_ranges(a, by, d).rest;
  fill(out[rest], boundary);
}

}  // namespace armature
