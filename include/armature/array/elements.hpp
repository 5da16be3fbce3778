#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "armature/accumulate.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/transfers.hpp"
#include "armature/error.hpp"

// Single elements, many at a time, by lists of indices: one operation for each member that has some
// of them. Not collective. There are as many values as indices, in the same order.

namespace armature {

namespace detail {
template <class T, int N>
void transfer_elements(const distributed_array<T, N>& array, ArrayTransfers& transfers,
                       std::span<const typename distributed_array<T, N>::Indices> at,
                       const T* values, std::size_t count) {
  if (at.size() != count)
    throw Error(Errc::bad_argument, "distributed_array '" + array.name() +
                                        "': " + std::to_string(at.size()) + " indices and " +
                                        std::to_string(count) + " values");
  if (count == 0) return;
  array.store().add_elements(at.front().data(), count,
                             reinterpret_cast<std::byte*>(const_cast<T*>(values)), transfers);
  transfers.perform();
}
}  // namespace detail

/// Copies elements to `to`.
template <class T, int N>
void gather(const distributed_array<T, N>& array,
            std::type_identity_t<std::span<const typename distributed_array<T, N>::Indices>> at,
            std::type_identity_t<std::span<T>> to) {
  detail::ArrayTransfers transfers(detail::ArrayTransfers::Verb::get, sizeof(T));
  detail::transfer_elements(array, transfers, at, to.data(), to.size());
}
/// Writes elements. If one is named several times, one of its values stays.
template <class T, int N>
void scatter(distributed_array<T, N>& array,
             std::type_identity_t<std::span<const typename distributed_array<T, N>::Indices>> at,
             std::type_identity_t<std::span<const T>> from) {
  detail::ArrayTransfers transfers(detail::ArrayTransfers::Verb::put, sizeof(T));
  detail::transfer_elements(array, transfers, at, from.data(), from.size());
}
/// Adds scale times the values, atomically for each element. One may be named several times.
template <Accumulable T, int N>
void scatter_accumulate(
    distributed_array<T, N>& array,
    std::type_identity_t<std::span<const typename distributed_array<T, N>::Indices>> at,
    std::type_identity_t<std::span<const T>> from, std::type_identity_t<T> scale = T(1)) {
  detail::ArrayTransfers transfers(detail::ArrayTransfers::Verb::accumulate, sizeof(T));
  transfers.accumulate_by(detail::element_of<T>, &scale);
  detail::transfer_elements(array, transfers, at, from.data(), from.size());
}

}  // namespace armature
