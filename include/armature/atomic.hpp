#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "armature/detail/export.hpp"
#include "armature/detail/view.hpp"
#include "armature/future.hpp"
#include "armature/global_ptr.hpp"

namespace armature {

/// Read-modify-write of another rank's integer (armci-rma-2006, 3.3): each returns the value found.
/// Atomic with respect to each other and to value puts and gets, from any rank; sequentially
/// consistent. The address must be naturally aligned. Errors as for put.
///
/// Each has a form that does not block, `..._async`, whose future gives the value found. On a node
/// it is complete on return; between nodes those that are begun together travel together. One
/// rank's atomics to one rank take effect in the order of their calls. A rank that is lost
/// meanwhile makes the future throw Error(rank_lost).
template <class T>
concept AtomicInteger =
    std::integral<T> && !std::same_as<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

namespace detail {
enum class AtomicCode { fetch_add, fetch_and, fetch_or, fetch_xor, swap, compare_swap };
struct AtomicOperation {
  AtomicCode code;
  std::uint64_t operand;
  std::uint64_t expected;
  const char* call;
};
/// The slow path of atomics: checks in full, reports the caller's mistakes, and performs the
/// operation where the rank is. Returns the value found.
ARMATURE_API std::uint64_t atomic_slow(Rank rank, void* address, std::size_t bytes,
                                       AtomicOperation what);

/// Begins an atomic and does not wait for its answer. Returns the operation; or nullptr, and
/// `found` holds the value.
[[nodiscard]] ARMATURE_API Request* atomic_later(Rank rank, void* address, std::size_t bytes,
                                                 AtomicOperation what, std::uint64_t& found);

template <class T>
[[gnu::always_inline]] inline bool atomic_is_here(global_ptr<T> at) {
  return reachable<sizeof(T)>(at.rank(), at.address()) &&
         reinterpret_cast<std::uintptr_t>(at.address()) % sizeof(T) == 0;
}

template <class T>
[[gnu::noinline, gnu::cold]] T atomic_elsewhere(Rank rank, T* address, AtomicCode code, T operand,
                                                T expected, const char* call) {
  return static_cast<T>(atomic_slow(
      rank, address, sizeof(T),
      {code, static_cast<std::uint64_t>(operand), static_cast<std::uint64_t>(expected), call}));
}

template <class T>
[[gnu::noinline, gnu::cold]] future<T> atomic_elsewhere_async(Rank rank, T* address,
                                                              AtomicCode code, T operand,
                                                              T expected, const char* call) {
  std::uint64_t found = 0;
  Request* const request = atomic_later(
      rank, address, sizeof(T),
      {code, static_cast<std::uint64_t>(operand), static_cast<std::uint64_t>(expected), call},
      found);
  if (request == nullptr) return future<T>(std::in_place, static_cast<T>(found));
  return future<T>(Handle(request));
}

/// `blocking` is the atomic itself, for where it can be done here and now.
template <class T, class Blocking>
[[gnu::always_inline]] inline future<T> atomic_async(Blocking blocking, global_ptr<T> at,
                                                     AtomicCode code, T operand, T expected,
                                                     const char* call) {
  if (atomic_is_here(at)) [[likely]]
    return future<T>(std::in_place, blocking());
  return atomic_elsewhere_async<T>(at.rank(), at.address(), code, operand, expected, call);
}
}  // namespace detail

template <AtomicInteger T>
inline T fetch_add(global_ptr<T> at, std::type_identity_t<T> value) {
  if (detail::atomic_is_here(at)) [[likely]]
    return __atomic_fetch_add(at.address(), value, __ATOMIC_SEQ_CST);
  return detail::atomic_elsewhere<T>(at.rank(), at.address(), detail::AtomicCode::fetch_add, value,
                                     T(), "fetch_add");
}
template <AtomicInteger T>
inline T fetch_and(global_ptr<T> at, std::type_identity_t<T> value) {
  if (detail::atomic_is_here(at)) [[likely]]
    return __atomic_fetch_and(at.address(), value, __ATOMIC_SEQ_CST);
  return detail::atomic_elsewhere<T>(at.rank(), at.address(), detail::AtomicCode::fetch_and, value,
                                     T(), "fetch_and");
}
template <AtomicInteger T>
inline T fetch_or(global_ptr<T> at, std::type_identity_t<T> value) {
  if (detail::atomic_is_here(at)) [[likely]]
    return __atomic_fetch_or(at.address(), value, __ATOMIC_SEQ_CST);
  return detail::atomic_elsewhere<T>(at.rank(), at.address(), detail::AtomicCode::fetch_or, value,
                                     T(), "fetch_or");
}
template <AtomicInteger T>
inline T fetch_xor(global_ptr<T> at, std::type_identity_t<T> value) {
  if (detail::atomic_is_here(at)) [[likely]]
    return __atomic_fetch_xor(at.address(), value, __ATOMIC_SEQ_CST);
  return detail::atomic_elsewhere<T>(at.rank(), at.address(), detail::AtomicCode::fetch_xor, value,
                                     T(), "fetch_xor");
}
template <AtomicInteger T>
inline T swap(global_ptr<T> at, std::type_identity_t<T> value) {
  if (detail::atomic_is_here(at)) [[likely]]
    return __atomic_exchange_n(at.address(), value, __ATOMIC_SEQ_CST);
  return detail::atomic_elsewhere<T>(at.rank(), at.address(), detail::AtomicCode::swap, value, T(),
                                     "swap");
}
/// Stores `desired` if the value found is `expected`.
template <AtomicInteger T>
inline T compare_swap(global_ptr<T> at, std::type_identity_t<T> expected,
                      std::type_identity_t<T> desired) {
  if (!detail::atomic_is_here(at)) [[unlikely]]
    return detail::atomic_elsewhere<T>(at.rank(), at.address(), detail::AtomicCode::compare_swap,
                                       desired, expected, "compare_swap");
  __atomic_compare_exchange_n(at.address(), &expected, desired, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return expected;
}

template <AtomicInteger T>
[[nodiscard]] inline future<T> fetch_add_async(global_ptr<T> at, std::type_identity_t<T> value) {
  return detail::atomic_async([&] { return fetch_add(at, value); }, at,
                              detail::AtomicCode::fetch_add, value, T(), "fetch_add_async");
}
template <AtomicInteger T>
[[nodiscard]] inline future<T> fetch_and_async(global_ptr<T> at, std::type_identity_t<T> value) {
  return detail::atomic_async([&] { return fetch_and(at, value); }, at,
                              detail::AtomicCode::fetch_and, value, T(), "fetch_and_async");
}
template <AtomicInteger T>
[[nodiscard]] inline future<T> fetch_or_async(global_ptr<T> at, std::type_identity_t<T> value) {
  return detail::atomic_async([&] { return fetch_or(at, value); }, at, detail::AtomicCode::fetch_or,
                              value, T(), "fetch_or_async");
}
template <AtomicInteger T>
[[nodiscard]] inline future<T> fetch_xor_async(global_ptr<T> at, std::type_identity_t<T> value) {
  return detail::atomic_async([&] { return fetch_xor(at, value); }, at,
                              detail::AtomicCode::fetch_xor, value, T(), "fetch_xor_async");
}
template <AtomicInteger T>
[[nodiscard]] inline future<T> swap_async(global_ptr<T> at, std::type_identity_t<T> value) {
  return detail::atomic_async([&] { return swap(at, value); }, at, detail::AtomicCode::swap, value,
                              T(), "swap_async");
}
template <AtomicInteger T>
[[nodiscard]] inline future<T> compare_swap_async(global_ptr<T> at,
                                                  std::type_identity_t<T> expected,
                                                  std::type_identity_t<T> desired) {
  return detail::atomic_async([&] { return compare_swap(at, expected, desired); }, at,
                              detail::AtomicCode::compare_swap, desired, expected,
                              "compare_swap_async");
}

}  // namespace armature
