#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>

#include <armature/collectives.hpp>
#include <armature/operators.hpp>

#include "place.hpp"
#include "teams.hpp"

namespace shmem {

/// The caller's elements where they are to be reduced: source and dest are one, or apart.
template <class T>
std::span<T> copied(T* dest, const T* source, std::size_t count) {
  if (dest != source && count > 0) std::memcpy(static_cast<void*>(dest), source, count * sizeof(T));
  return {dest, count};
}

/// Whether the members' elements are long, and where each of them can load and store: then none is
/// copied but the result. All members are told the same, and once all have asked. Collective where
/// they are long.
[[nodiscard]] bool are_in_reach(const armature::Team& team, const void* dest, const void* source,
                                std::size_t bytes);

/// Behind are_in_reach, when all have come, each member combines its part of all sources, in the
/// order of the team, and stores the result in all dests. A source that is the dest is read before,
/// by the member that changes it.
template <class T, class Op>
void reduce_in_reach(const armature::Team& team, T* dest, const T* source, std::size_t count,
                     Op op) {
  constexpr std::size_t part_bytes = 16 << 10, part_max = part_bytes / sizeof(T);
  const auto size = static_cast<std::size_t>(team.size());
  const auto me = static_cast<std::size_t>(team.rank());
  const auto at_member = [&](auto* address, std::size_t member) {
    return at_pe(address, team.world_rank(static_cast<int>(member))).address();
  };
  // Parts begin at lines of the cache, where the elements do.
  const auto begin_of = [&](std::size_t member) {
    return member == size ? count : count / size * member / 64 * 64;
  };
  alignas(64) std::byte room[part_bytes];
  T* const part = reinterpret_cast<T*>(room);
  for (std::size_t at = begin_of(me), end = begin_of(me + 1); at < end; at += part_max) {
    const std::size_t length = std::min(part_max, end - at);
    std::memcpy(static_cast<void*>(part), at_member(source, 0) + at, length * sizeof(T));
    for (std::size_t member = 1; member < size; ++member) {
      const T* const other = at_member(source, member) + at;
      for (std::size_t i = 0; i < length; ++i) part[i] = static_cast<T>(op(part[i], other[i]));
    }
    for (std::size_t member = 0; member < size; ++member)
      std::memcpy(static_cast<void*>(at_member(dest, member) + at), part, length * sizeof(T));
  }
  team.barrier();
}

template <class T, class Op>
void reduce(const armature::Team& team, T* dest, const T* source, std::size_t count, Op op) {
  if (are_in_reach(team, dest, source, count * sizeof(T)))
    return reduce_in_reach(team, dest, source, count, op);
  armature::allreduce(team, copied(dest, source, count), op);
}
template <class T, class Op>
void reduce(const armature::Team& team, T* dest, const T* source, int count, Op op) {
  if (count > 0) reduce(team, dest, source, static_cast<std::size_t>(count), op);
}
template <class T>
void inscan(const armature::Team& team, T* dest, const T* source, std::size_t count) {
  armature::scan(team, copied(dest, source, count), std::plus<>());
}
template <class T>
void exscan(const armature::Team& team, T* dest, const T* source, std::size_t count) {
  armature::exclusive_scan(team, copied(dest, source, count), T(), std::plus<>());
}

}  // namespace shmem
