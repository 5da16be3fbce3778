#pragma once

#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>

#include <armature/collectives.hpp>
#include <armature/operators.hpp>

#include "teams.hpp"

namespace shmem {

/// The caller's elements where they are to be reduced: source and dest are one, or apart.
template <class T>
std::span<T> copied(T* dest, const T* source, std::size_t count) {
  if (dest != source && count > 0) std::memcpy(static_cast<void*>(dest), source, count * sizeof(T));
  return {dest, count};
}

template <class T, class Op>
void reduce(const armature::Team& team, T* dest, const T* source, std::size_t count, Op op) {
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
