#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "armature/detail/collective.hpp"
#include "armature/detail/elements.hpp"
#include "armature/operators.hpp"
#include "armature/team.hpp"

// Collectives move data from one member of a team to all, from all to one, from all to all, or
// reduce data of all. They are free functions whose first argument is the team. Team::barrier,
// which moves nothing, stays a member.
//
// All members call a collective of a team, in the same order. They may pass different buffers but
// must agree on counts, types, operators and the root. A disagreement that is noticed (about
// counts, roots and which collective it is) throws Error(bad_argument) at all members. A buffer is
// the caller's again when the call returns.
//
// Elements are given as a std::span, or as what has them one behind the other: a vector, an array.
//
// Broadcast, gather, scatter, reduce and scans need not wait for members whose data a member does
// not need, as in MPI. So they are no barrier, and a disagreement about them may throw in a later
// call: at the latest in the next one in which each member needs all, or in the 65th. With
// `armature run --check` each of them waits for all, and throws itself.
//
// Reductions combine in team order: all get the same bits. Which neighbours are combined first may
// depend on the nodes and the number of bytes, unless `armature run --reproducible` fixes it
// (collectives_async.hpp). Operators are callables T(T, T), throw
// nothing, are associative, need not commute. In teams of many, those of some members are called.
//
// A member that has died is waited for by nobody: Error(rank_lost). A method that runs while its
// rank is in a collective throws Error(misuse) when it calls one of the same team: it needs another
// team.

namespace armature {

// -- data from one to all, all to one, all to all ------------------------------------------------

/// The root's elements, at every member.
template <Transferable T>
void broadcast(const Team& team, std::span<T> data, int root) {
  detail::broadcast_bytes(team, data.data(), data.size_bytes(), root);
}
template <detail::ResultElements R>
requires(!detail::Datum<std::remove_cvref_t<R>>) void broadcast(const Team& team, R&& data,
                                                                int root) {
  broadcast(team, detail::span_of(data), root);
}
/// The root's value, at every member.
template <detail::Datum T>
[[nodiscard]] T broadcast(const Team& team, T value, int root) {
  detail::broadcast_bytes(team, &value, sizeof value, root);
  return value;
}

/// Element i of the result is member i's value, at every member.
template <detail::Single T>
[[nodiscard]] std::vector<T> allgather(const Team& team, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(team.size()));
  detail::allgather_bytes(team, &mine, sizeof(T), all.data());
  return all;
}
/// Concatenates everybody's `mine` (equal lengths) in `all`, at every member.
template <Transferable T>
void allgather(const Team& team, std::span<const T> mine, std::span<T> all) {
  detail::expect_elements("allgather", all.size(),
                          mine.size() * static_cast<std::size_t>(team.size()));
  detail::allgather_bytes(team, mine.data(), mine.size_bytes(), all.data());
}
template <detail::ElementRange Mine, detail::ResultElements All>
requires std::same_as<detail::ElementOf<Mine>, detail::ElementOf<All>>
void allgather(const Team& team, const Mine& mine, All&& all) {
  allgather(team, detail::const_span_of(mine), detail::span_of(all));
}

/// Concatenates everybody's `mine` (equal lengths) in the root's `all`, which may be empty
/// elsewhere.
template <Transferable T>
void gather(const Team& team, std::span<const T> mine, std::span<T> all, int root) {
  if (team.rank() == root)
    detail::expect_elements("gather", all.size(),
                            mine.size() * static_cast<std::size_t>(team.size()));
  detail::gather_bytes(team, mine.data(), mine.size_bytes(), all.data(), root);
}
template <detail::ElementRange Mine, detail::ResultElements All>
requires std::same_as<detail::ElementOf<Mine>, detail::ElementOf<All>>
void gather(const Team& team, const Mine& mine, All&& all, int root) {
  gather(team, detail::const_span_of(mine), detail::span_of(all), root);
}
/// Element i of the result is member i's value, at the root; elsewhere the result is empty.
template <detail::Single T>
[[nodiscard]] std::vector<T> gather(const Team& team, const T& mine, int root) {
  std::vector<T> all(team.rank() == root ? static_cast<std::size_t>(team.size()) : 0);
  detail::gather_bytes(team, &mine, sizeof(T), all.data(), root);
  return all;
}

/// Block i of the root's `all` goes to member i, as its `mine`; `all` may be empty elsewhere.
template <Transferable T>
void scatter(const Team& team, std::span<const T> all, std::span<T> mine, int root) {
  if (team.rank() == root)
    detail::expect_elements("scatter", all.size(),
                            mine.size() * static_cast<std::size_t>(team.size()));
  detail::scatter_bytes(team, all.data(), mine.size_bytes(), mine.data(), root);
}
template <detail::ElementRange All, detail::ResultElements Mine>
requires std::same_as<detail::ElementOf<Mine>, detail::ElementOf<All>>
void scatter(const Team& team, const All& all, Mine&& mine, int root) {
  scatter(team, detail::const_span_of(all), detail::span_of(mine), root);
}
/// The root's all[i], at member i.
template <detail::Single T>
[[nodiscard]] T scatter(const Team& team, std::span<const T> all, int root) {
  T mine{};
  scatter(team, all, std::span<T>(&mine, 1), root);
  return mine;
}

/// Block i of `mine` goes to member i; block i of `all` comes from member i. Equal blocks. The two
/// may be the same buffer.
template <Transferable T>
void alltoall(const Team& team, std::span<const T> mine, std::span<T> all) {
  const auto size = static_cast<std::size_t>(team.size());
  detail::expect_elements("alltoall", all.size(), mine.size());
  detail::expect_elements("alltoall", mine.size() % size, 0);
  detail::alltoall_bytes(team, mine.data(), mine.size_bytes() / size, all.data());
}
template <detail::ElementRange Mine, detail::ResultElements All>
requires std::same_as<detail::ElementOf<Mine>, detail::ElementOf<All>>
void alltoall(const Team& team, const Mine& mine, All&& all) {
  alltoall(team, detail::const_span_of(mine), detail::span_of(all));
}

// -- reductions ----------------------------------------------------------------------------------

/// Combines everybody's elements, each with those at the same index, in place at every member.
template <Transferable T, class Op = std::plus<>>
void allreduce(const Team& team, std::span<T> data, Op op = {}) {
  detail::allreduce_bytes(team, data.data(), detail::reduction_of<T>(data.size(), op));
}
/// The combination of everybody's values, at every member.
template <detail::Single T, class Op = std::plus<>>
requires detail::Combines<T, Op>
[[nodiscard]] T allreduce(const Team& team, T value, Op op = {}) {
  detail::allreduce_bytes(team, &value, detail::reduction_of<T>(1, op));
  return value;
}
template <class R, class Op = std::plus<>>
requires detail::ReducedElements<R, Op>
void allreduce(const Team& team, R&& data, Op op = {}) {
  allreduce(team, detail::span_of(data), std::move(op));
}

/// As allreduce, with the result at the root only; elsewhere `data` stays as it was.
template <Transferable T, class Op = std::plus<>>
void reduce(const Team& team, std::span<T> data, int root, Op op = {}) {
  detail::reduce_bytes(team, data.data(), detail::reduction_of<T>(data.size(), op), root);
}
/// The combination of everybody's values at the root, elsewhere the value as it was.
template <detail::Single T, class Op = std::plus<>>
requires detail::Combines<T, Op>
[[nodiscard]] T reduce(const Team& team, T value, int root, Op op = {}) {
  detail::reduce_bytes(team, &value, detail::reduction_of<T>(1, op), root);
  return value;
}
template <class R, class Op = std::plus<>>
requires detail::ReducedElements<R, Op>
void reduce(const Team& team, R&& data, int root, Op op = {}) {
  reduce(team, detail::span_of(data), root, std::move(op));
}

/// Inclusive prefix, in place: member i gets the combination of members 0 .. i.
template <Transferable T, class Op = std::plus<>>
void scan(const Team& team, std::span<T> data, Op op = {}) {
  detail::scan_bytes(team, data.data(), detail::reduction_of<T>(data.size(), op), nullptr);
}
template <detail::Single T, class Op = std::plus<>>
requires detail::Combines<T, Op>
[[nodiscard]] T scan(const Team& team, T value, Op op = {}) {
  detail::scan_bytes(team, &value, detail::reduction_of<T>(1, op), nullptr);
  return value;
}
template <class R, class Op = std::plus<>>
requires detail::ReducedElements<R, Op>
void scan(const Team& team, R&& data, Op op = {}) {
  scan(team, detail::span_of(data), std::move(op));
}

/// Exclusive prefix, as std::exclusive_scan: member i gets the combination of `first` and members
/// 0 .. i - 1, so member 0 gets `first`, which must be the same at all members.
template <Transferable T, class Op = std::plus<>>
void exclusive_scan(const Team& team, std::span<T> data, const std::type_identity_t<T>& first,
                    Op op = {}) {
  detail::scan_bytes(team, data.data(), detail::reduction_of<T>(data.size(), op), &first);
}
template <detail::Single T, class Op = std::plus<>>
requires detail::Combines<T, Op>
[[nodiscard]] T exclusive_scan(const Team& team, T value, std::type_identity_t<T> first,
                               Op op = {}) {
  detail::scan_bytes(team, &value, detail::reduction_of<T>(1, op), &first);
  return value;
}
template <class R, class Op = std::plus<>>
requires detail::ReducedElements<R, Op>
void exclusive_scan(const Team& team, R&& data, detail::ElementOf<R> first, Op op = {}) {
  exclusive_scan(team, detail::span_of(data), std::move(first), std::move(op));
}

// -- what does not fit is told in one sentence ---------------------------------------------------

template <class T, class Op = std::plus<>>
requires(!detail::is_span<std::remove_cvref_t<T>> && !detail::ReducedElements<T, Op> &&
         !(detail::Single<std::remove_cvref_t<T>> &&
           detail::Combines<std::remove_cvref_t<T>, Op>)) void allreduce(const Team& /*team*/,
                                                                         T&& /*data*/,
                                                                         Op /*op*/ = {}) {
  detail::refuse_to_reduce<T, Op>();
}
template <class T, class Op = std::plus<>>
requires(!detail::is_span<std::remove_cvref_t<T>> && !detail::ReducedElements<T, Op> &&
         !(detail::Single<std::remove_cvref_t<T>> &&
           detail::Combines<std::remove_cvref_t<T>, Op>)) void reduce(const Team& /*team*/,
                                                                      T&& /*data*/, int /*root*/,
                                                                      Op /*op*/ = {}) {
  detail::refuse_to_reduce<T, Op>();
}

}  // namespace armature
