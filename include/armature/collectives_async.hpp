#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "armature/collectives.hpp"
#include "armature/detail/collective.hpp"
#include "armature/detail/export.hpp"
#include "armature/handle.hpp"
#include "armature/operators.hpp"
#include "armature/team.hpp"

namespace armature {

// Collectives that return at once, as MPI's non-blocking ones do (MPI 4.1, 6.12). All members call
// the same ones of a team in the same order; several may be under way on a team, beside collectives
// that block. The member's buffers are the library's until the handle is complete. Until then they
// are not read either, unless they are only read by the collective. Buffers of one call do not
// overlap, but where a member's own block is already in its place.
//
// They advance while their rank waits, polls or tests, whatever for. In a job on several nodes they
// also do while it computes, unless it is a virtual rank. A virtual rank may move, and be
// checkpointed, before a handle is complete.
//
// An operator is copied. It is called by any thread of the process, one call at a time, and must
// not throw or call this library. It is applied in the order of the team, unless it commutes. Then
// the order depends on the team, its nodes and the number of bytes. All members get the same bits,
// and get them again when the same call is repeated. `armature run --reproducible` (elsewhere
// ARMATURE_REPRODUCIBLE=1) has the elements of all members combined from the first member to the
// last: the bits depend on the team alone then, whichever call and nodes. Some calls take longer.
//
// Errors: Error(bad_rank) for a root that is no member, Error(bad_argument) for buffers of the
// wrong size. Where a message between two members is longer or shorter than its receiver expects,
// as they do not agree about the number of bytes, handles end with Error(bad_argument). Members
// that disagree so that one sends nothing to another that waits, about the root for example, are
// not found out. Where the job goes on after deaths, handles of members that need what a dead one
// should have done end with Error(rank_lost), and so do all later collectives of that team. What is
// in the buffers is undefined then.
//
// The first message to a rank takes memory of the segment. Where a member has none, its call or its
// handle ends with Error(out_of_memory), and so do those of members that need what it should have
// done. If it has no memory to tell them either, all members' handles do, also those of all later
// calls of this header with that team. Other teams, and calls that block, go on.

namespace detail {

/// A reduction whose operator belongs to whoever gets this.
struct AsyncReduction {
  Reduction of;
  void (*destroy)(void* op) = nullptr;
  bool commutes = false;
};

}  // namespace detail

/// An operator that commutes, besides being associative: op(a, b) is op(b, a).
template <class Op>
struct Commuting : Op {};
/// Promises that it does. A collective may then combine in another order than the team's.
template <class Op>
Commuting<Op> commuting(Op op) {
  return {std::move(op)};
}

namespace detail {

template <class T, class Op>
inline constexpr bool commutes = false;
template <class T, class Op>
inline constexpr bool commutes<T, Commuting<Op>> = true;
template <class T, class Named>
concept IsStandard = std::is_arithmetic_v<T> &&
    (std::is_same_v<Named, std::plus<>> || std::is_same_v<Named, std::plus<T>> ||
     std::is_same_v<Named, std::multiplies<>> || std::is_same_v<Named, std::multiplies<T>> ||
     std::is_same_v<Named, std::bit_and<>> || std::is_same_v<Named, std::bit_or<>> ||
     std::is_same_v<Named, std::bit_xor<>> || std::is_same_v<Named, Minimum> ||
     std::is_same_v<Named, Maximum>);
template <class T, class Op>
requires IsStandard<T, Op>
inline constexpr bool commutes<T, Op> = true;

template <class T, class Op>
AsyncReduction async_reduction_of(std::size_t count, Op op) {
  auto* const own = new Op(std::move(op));
  return {reduction_of<T>(count, *own), [](void* old) { delete static_cast<Op*>(old); },
          commutes<T, Op>};
}

[[nodiscard]] ARMATURE_API Handle barrier_async_call(const Team& team);
[[nodiscard]] ARMATURE_API Handle broadcast_async_bytes(const Team& team, void* data,
                                                        std::size_t bytes, int root);
[[nodiscard]] ARMATURE_API Handle allgather_async_bytes(const Team& team, const void* mine,
                                                        std::size_t bytes, void* all);
[[nodiscard]] ARMATURE_API Handle gather_async_bytes(const Team& team, const void* mine,
                                                     std::size_t bytes, void* all, int root);
[[nodiscard]] ARMATURE_API Handle scatter_async_bytes(const Team& team, const void* all,
                                                      std::size_t block_bytes, void* mine,
                                                      int root);
[[nodiscard]] ARMATURE_API Handle alltoall_async_bytes(const Team& team, const void* mine,
                                                       std::size_t block_bytes, void* all);
// These take over the operator, also where they throw.
[[nodiscard]] ARMATURE_API Handle allreduce_async_bytes(const Team& team, void* data,
                                                        const AsyncReduction& reduction);
[[nodiscard]] ARMATURE_API Handle reduce_async_bytes(const Team& team, void* data,
                                                     const AsyncReduction& reduction, int root);
[[nodiscard]] ARMATURE_API Handle scan_async_bytes(const Team& team, void* data,
                                                   const AsyncReduction& reduction,
                                                   const void* first);

/// Elements of each member.
using Counts = std::span<const std::size_t>;
[[nodiscard]] ARMATURE_API Handle allgatherv_async_bytes(const Team& team, const void* mine,
                                                         void* all, Counts counts,
                                                         std::size_t bytes_each);
[[nodiscard]] ARMATURE_API Handle gatherv_async_bytes(const Team& team, const void* mine,
                                                      std::size_t bytes, void* all, Counts counts,
                                                      std::size_t bytes_each, int root);
[[nodiscard]] ARMATURE_API Handle scatterv_async_bytes(const Team& team, const void* all,
                                                       Counts counts, void* mine, std::size_t bytes,
                                                       std::size_t bytes_each, int root);
[[nodiscard]] ARMATURE_API Handle alltoallv_async_bytes(const Team& team, const void* mine,
                                                        Counts to, void* all, Counts from,
                                                        std::size_t bytes_each);
/// Takes over the operator.
[[nodiscard]] ARMATURE_API Handle reduce_scatter_async_bytes(const Team& team, const void* data,
                                                             void* mine, Counts counts,
                                                             const AsyncReduction& reduction);
inline std::size_t sum_of(Counts counts) {
  std::size_t sum = 0;
  for (const std::size_t count : counts) sum += count;
  return sum;
}

}  // namespace detail

/// Complete when all members have called it. It does not wait for puts, as Team::barrier does: what
/// members had fenced or stored before is visible.
[[nodiscard]] inline Handle barrier_async(const Team& team) {
  return detail::barrier_async_call(team);
}

/// As broadcast. Complete at the root when its data may be changed.
template <Transferable T>
[[nodiscard]] Handle broadcast_async(const Team& team, std::span<T> data, int root) {
  return detail::broadcast_async_bytes(team, data.data(), data.size_bytes(), root);
}

/// As allgather.
template <Transferable T>
[[nodiscard]] Handle allgather_async(const Team& team, std::span<const T> mine, std::span<T> all) {
  detail::expect_elements("allgather_async", all.size(),
                          mine.size() * static_cast<std::size_t>(team.size()));
  return detail::allgather_async_bytes(team, mine.data(), mine.size_bytes(), all.data());
}

/// As gather.
template <Transferable T>
[[nodiscard]] Handle gather_async(const Team& team, std::span<const T> mine, std::span<T> all,
                                  int root) {
  if (team.rank() == root)
    detail::expect_elements("gather_async", all.size(),
                            mine.size() * static_cast<std::size_t>(team.size()));
  return detail::gather_async_bytes(team, mine.data(), mine.size_bytes(), all.data(), root);
}

/// As scatter.
template <Transferable T>
[[nodiscard]] Handle scatter_async(const Team& team, std::span<const T> all, std::span<T> mine,
                                   int root) {
  if (team.rank() == root)
    detail::expect_elements("scatter_async", all.size(),
                            mine.size() * static_cast<std::size_t>(team.size()));
  return detail::scatter_async_bytes(team, all.data(), mine.size_bytes(), mine.data(), root);
}

/// As alltoall, of two buffers.
template <Transferable T>
[[nodiscard]] Handle alltoall_async(const Team& team, std::span<const T> mine, std::span<T> all) {
  const auto size = static_cast<std::size_t>(team.size());
  detail::expect_elements("alltoall_async", all.size(), mine.size());
  detail::expect_elements("alltoall_async", mine.size() % size, 0);
  return detail::alltoall_async_bytes(team, mine.data(), mine.size_bytes() / size, all.data());
}

/// As allreduce, in place.
template <Transferable T, class Op = std::plus<>>
[[nodiscard]] Handle allreduce_async(const Team& team, std::span<T> data, Op op = {}) {
  return detail::allreduce_async_bytes(team, data.data(),
                                       detail::async_reduction_of<T>(data.size(), std::move(op)));
}

/// As reduce: in place at the root, elsewhere `data` stays as it was.
template <Transferable T, class Op = std::plus<>>
[[nodiscard]] Handle reduce_async(const Team& team, std::span<T> data, int root, Op op = {}) {
  return detail::reduce_async_bytes(
      team, data.data(), detail::async_reduction_of<T>(data.size(), std::move(op)), root);
}

/// As scan, in place.
template <Transferable T, class Op = std::plus<>>
[[nodiscard]] Handle scan_async(const Team& team, std::span<T> data, Op op = {}) {
  return detail::scan_async_bytes(
      team, data.data(), detail::async_reduction_of<T>(data.size(), std::move(op)), nullptr);
}

/// As exclusive_scan, in place.
template <Transferable T, class Op = std::plus<>>
[[nodiscard]] Handle exclusive_scan_async(const Team& team, std::span<T> data,
                                          const std::type_identity_t<T>& first, Op op = {}) {
  return detail::scan_async_bytes(
      team, data.data(), detail::async_reduction_of<T>(data.size(), std::move(op)), &first);
}

// -- blocks that differ in length ----------------------------------------------------------------
//
// Member i has counts[i] elements (MPI 4.1, 6.5 to 6.8). Blocks lie one behind the other in the
// order of the team. The forms that block are those that do not, and a wait.

/// Concatenates everybody's `mine` in `all`, at every member; all members give the same counts.
template <Transferable T>
[[nodiscard]] Handle allgatherv_async(const Team& team, std::span<const T> mine, std::span<T> all,
                                      std::span<const std::size_t> counts) {
  detail::expect_elements("allgatherv_async", all.size(), detail::sum_of(counts));
  const auto me = static_cast<std::size_t>(team.rank());
  detail::expect_elements("allgatherv_async", mine.size(), me < counts.size() ? counts[me] : 0);
  return detail::allgatherv_async_bytes(team, mine.data(), all.data(), counts, sizeof(T));
}
template <Transferable T>
void allgatherv(const Team& team, std::span<const T> mine, std::span<T> all,
                std::span<const std::size_t> counts) {
  allgatherv_async(team, mine, all, counts).wait();
}

/// Concatenates everybody's `mine` in the root's `all`. Elsewhere `all` and `counts` are not looked
/// at.
template <Transferable T>
[[nodiscard]] Handle gatherv_async(const Team& team, std::span<const T> mine, std::span<T> all,
                                   std::span<const std::size_t> counts, int root) {
  if (team.rank() == root)
    detail::expect_elements("gatherv_async", all.size(), detail::sum_of(counts));
  return detail::gatherv_async_bytes(team, mine.data(), mine.size_bytes(), all.data(), counts,
                                     sizeof(T), root);
}
template <Transferable T>
void gatherv(const Team& team, std::span<const T> mine, std::span<T> all,
             std::span<const std::size_t> counts, int root) {
  gatherv_async(team, mine, all, counts, root).wait();
}

/// Block i of the root's `all` goes to member i. Elsewhere `all` and `counts` are not looked at.
template <Transferable T>
[[nodiscard]] Handle scatterv_async(const Team& team, std::span<const T> all,
                                    std::span<const std::size_t> counts, std::span<T> mine,
                                    int root) {
  if (team.rank() == root)
    detail::expect_elements("scatterv_async", all.size(), detail::sum_of(counts));
  return detail::scatterv_async_bytes(team, all.data(), counts, mine.data(), mine.size_bytes(),
                                      sizeof(T), root);
}
template <Transferable T>
void scatterv(const Team& team, std::span<const T> all, std::span<const std::size_t> counts,
              std::span<T> mine, int root) {
  scatterv_async(team, all, counts, mine, root).wait();
}

/// Block i of `mine` has to[i] elements and goes to member i; block i of `all` has from[i] and
/// comes from member i.
template <Transferable T>
[[nodiscard]] Handle alltoallv_async(const Team& team, std::span<const T> mine,
                                     std::span<const std::size_t> to, std::span<T> all,
                                     std::span<const std::size_t> from) {
  detail::expect_elements("alltoallv_async", mine.size(), detail::sum_of(to));
  detail::expect_elements("alltoallv_async", all.size(), detail::sum_of(from));
  return detail::alltoallv_async_bytes(team, mine.data(), to, all.data(), from, sizeof(T));
}
template <Transferable T>
void alltoallv(const Team& team, std::span<const T> mine, std::span<const std::size_t> to,
               std::span<T> all, std::span<const std::size_t> from) {
  alltoallv_async(team, mine, to, all, from).wait();
}

/// Combines everybody's `data`, and gives member i the block of counts[i] elements that is its own
/// (MPI 4.1, 6.10). All members give the same counts.
template <Transferable T, class Op = std::plus<>>
[[nodiscard]] Handle reduce_scatter_async(const Team& team, std::span<const T> data,
                                          std::span<T> mine, std::span<const std::size_t> counts,
                                          Op op = {}) {
  detail::expect_elements("reduce_scatter_async", data.size(), detail::sum_of(counts));
  const auto me = static_cast<std::size_t>(team.rank());
  detail::expect_elements("reduce_scatter_async", mine.size(), me < counts.size() ? counts[me] : 0);
  return detail::reduce_scatter_async_bytes(
      team, data.data(), mine.data(), counts,
      detail::async_reduction_of<T>(data.size(), std::move(op)));
}
template <Transferable T, class Op = std::plus<>>
void reduce_scatter(const Team& team, std::span<const T> data, std::span<T> mine,
                    std::span<const std::size_t> counts, Op op = {}) {
  reduce_scatter_async(team, data, mine, counts, std::move(op)).wait();
}

}  // namespace armature
