#pragma once

#include <concepts>
#include <type_traits>

#include "armature/detail/export.hpp"
#include "armature/detail/view.hpp"
#include "armature/global_ptr.hpp"

namespace armature {

/// Read-modify-write of another rank's integer (armci-rma-2006, 3.3): each returns the value found.
/// Atomic with respect to each other and to value puts and gets, from any rank; sequentially
/// consistent. The address must be naturally aligned. Errors as for put.
template <class T>
concept AtomicInteger =
    std::integral<T> && !std::same_as<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

namespace detail {
/// Checks in full and returns the address to operate on; throws.
ARMATURE_API void* atomic_target(Rank rank, void* address, std::size_t bytes, const char* call);

template <class T>
[[gnu::always_inline]] inline T* atomic_address(global_ptr<T> at, const char* call) {
  if (reachable<sizeof(T)>(at.rank(), at.address()) &&
      reinterpret_cast<std::uintptr_t>(at.address()) % sizeof(T) == 0) [[likely]]
    return at.address();
  return static_cast<T*>(atomic_target(at.rank(), at.address(), sizeof(T), call));
}
}  // namespace detail

template <AtomicInteger T>
inline T fetch_add(global_ptr<T> at, std::type_identity_t<T> value) {
  return __atomic_fetch_add(detail::atomic_address(at, "fetch_add"), value, __ATOMIC_SEQ_CST);
}
template <AtomicInteger T>
inline T fetch_and(global_ptr<T> at, std::type_identity_t<T> value) {
  return __atomic_fetch_and(detail::atomic_address(at, "fetch_and"), value, __ATOMIC_SEQ_CST);
}
template <AtomicInteger T>
inline T fetch_or(global_ptr<T> at, std::type_identity_t<T> value) {
  return __atomic_fetch_or(detail::atomic_address(at, "fetch_or"), value, __ATOMIC_SEQ_CST);
}
template <AtomicInteger T>
inline T fetch_xor(global_ptr<T> at, std::type_identity_t<T> value) {
  return __atomic_fetch_xor(detail::atomic_address(at, "fetch_xor"), value, __ATOMIC_SEQ_CST);
}
template <AtomicInteger T>
inline T swap(global_ptr<T> at, std::type_identity_t<T> value) {
  return __atomic_exchange_n(detail::atomic_address(at, "swap"), value, __ATOMIC_SEQ_CST);
}
/// Stores `desired` if the value found is `expected`.
template <AtomicInteger T>
inline T compare_swap(global_ptr<T> at, std::type_identity_t<T> expected,
                      std::type_identity_t<T> desired) {
  __atomic_compare_exchange_n(detail::atomic_address(at, "compare_swap"), &expected, desired, false,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

}  // namespace armature
