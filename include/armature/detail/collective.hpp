#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>

#include "armature/detail/export.hpp"
#include "armature/global_ptr.hpp"

// Compiled collectives know bytes and one function that combines elements. The templates of
// collectives.hpp pack their arguments into these.

namespace armature {
class Team;

namespace detail {

inline constexpr std::size_t reduced_bytes_max = 32 * 1024;

/// into[i] = op(into[i], from[i]) for `count` elements, which may lie at any multiple of 16; `op`
/// is the user's operator.
using Combine = void (*)(void* into, const void* from, std::size_t count, void* op);

template <class T, class Op>
void combine(void* into, const void* from, std::size_t count, void* op) {
  static_assert(sizeof(T) <= reduced_bytes_max, "reductions are of elements of at most 32 KiB");
  auto& f = *static_cast<Op*>(op);
  auto* a = static_cast<T*>(into);
  const auto* b = static_cast<const T*>(from);
  if constexpr (alignof(T) <= 16) {
    for (std::size_t i = 0; i < count; ++i) a[i] = static_cast<T>(f(a[i], b[i]));
  } else {
    alignas(T) std::byte room[2][sizeof(T)];
    auto& x = *reinterpret_cast<T*>(room[0]);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(room[0], a + i, sizeof(T));
      std::memcpy(room[1], b + i, sizeof(T));
      x = static_cast<T>(f(x, *reinterpret_cast<const T*>(room[1])));
      std::memcpy(static_cast<void*>(a + i), room[0], sizeof(T));
    }
  }
}

/// Elements and the operator that combines those of two members.
struct Reduction {
  std::size_t count = 0;
  std::size_t element_bytes = 0;  // at most reduced_bytes_max
  Combine combine = nullptr;
  void* op = nullptr;
};
/// `op` must live as long as the reduction.
template <class T, class Op>
Reduction reduction_of(std::size_t count, Op& op) {
  return {count, sizeof(T), &combine<T, Op>, &op};
}

/// Travels as one value. A view does not: only its pointer would, and a std::span whose length is
/// part of its type, which the calls that move elements do not take, would pass for a value.
template <class T>
concept Single = Transferable<T> && !std::ranges::enable_view<T>;

/// A value that can be broadcast. What can be called with a root's number is none: broadcast(team,
/// f, 1) of rmi.hpp calls f(1) at every member.
template <class T>
concept Datum = Single<T> && !std::invocable<T&, int>;

ARMATURE_API void broadcast_bytes(const Team& team, void* data, std::size_t bytes, int root);
ARMATURE_API void allgather_bytes(const Team& team, const void* mine, std::size_t bytes, void* all);
ARMATURE_API void gather_bytes(const Team& team, const void* mine, std::size_t bytes, void* all,
                               int root);
ARMATURE_API void scatter_bytes(const Team& team, const void* all, std::size_t block_bytes,
                                void* mine, int root);
ARMATURE_API void alltoall_bytes(const Team& team, const void* mine, std::size_t block_bytes,
                                 void* all);
ARMATURE_API void allreduce_bytes(const Team& team, void* data, const Reduction& reduction);
ARMATURE_API void reduce_bytes(const Team& team, void* data, const Reduction& reduction, int root);
/// `first`: one element that comes before all of them, and not the member's own; or nullptr.
ARMATURE_API void scan_bytes(const Team& team, void* data, const Reduction& reduction,
                             const void* first);

/// Throws Error(bad_argument) that names the call, unless the two are equal.
ARMATURE_API void expect_elements(const char* call, std::size_t given, std::size_t expected);

}  // namespace detail
}  // namespace armature
