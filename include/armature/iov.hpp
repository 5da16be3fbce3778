#pragma once

#include <cstddef>
#include <span>

#include "armature/detail/export.hpp"
#include "armature/handle.hpp"
#include "armature/rank.hpp"

namespace armature {

/// The generalised I/O vector (armci-rma-2006, 3.2.1): pieces of equal size, anywhere on both
/// sides. `to` and `from` have the same length; piece i is `bytes` bytes from from[i] to to[i].
struct Iov {
  std::span<void* const> to;
  std::span<const void* const> from;
  std::size_t bytes = 0;
};

using Segments [[deprecated("use Iov")]] = Iov;

/// Scatter to and gather from one rank. Completion, order and errors as for put and get; nothing is
/// transferred unless every address is good.
ARMATURE_API void put_vector(Rank rank, std::span<const Iov> iov);
ARMATURE_API void get_vector(Rank rank, std::span<const Iov> iov);
ARMATURE_API Handle put_vector_async(Rank rank, std::span<const Iov> iov);
ARMATURE_API Handle get_vector_async(Rank rank, std::span<const Iov> iov);
ARMATURE_API void put_vector_nbi(Rank rank, std::span<const Iov> iov);
ARMATURE_API void get_vector_nbi(Rank rank, std::span<const Iov> iov);

}  // namespace armature
