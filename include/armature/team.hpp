#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/global_ptr.hpp"
#include "armature/mutex.hpp"
#include "armature/piece.hpp"
#include "armature/rank.hpp"

namespace armature {

namespace detail {
class TeamState;

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

/// Travels as one. A view does not: only its pointer would. A std::span with a fixed length would
/// pass for a value, since the calls that move elements do not take it.
template <class T>
concept Single = Transferable<T> && !std::ranges::enable_view<T>;

struct Reduction {
  std::size_t count = 0;
  std::size_t element_bytes = 0;  // at most reduced_bytes_max
  Combine combine = nullptr;
  void* op = nullptr;
};
}  // namespace detail

struct Minimum {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

/// An ordered subset of the job's ranks (ARMCI group, communicator): allocation and collectives
/// among them. Members are numbered 0 .. size-1 in the team's own order. A value: copies are the
/// same team.
///
/// Collectives must be called by all members, in the same order. Members may pass different
/// buffers, but must agree on counts, types, operators and the root. A disagreement on counts,
/// roots or which collective it is throws Error(bad_argument) everywhere; others are not noticed.
/// Reductions combine in team order, so every member gets the same bits; their operators are
/// associative and throw nothing. Waiting for a member that has died throws Error(rank_lost). A
/// method that runs while its rank is in a collective throws Error(misuse) when it calls one of the
/// same team: it needs another team.
class ARMATURE_API Team {
 public:
  Team() = default;

  /// My number in this team.
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  /// The job-wide rank of a member. Throws Error(bad_rank).
  [[nodiscard]] Rank world_rank(int member) const;
  /// The number of a job-wide rank in this team, or -1.
  [[nodiscard]] int member(Rank world_rank) const;
  explicit operator bool() const { return state_ != nullptr; }

  /// Makes a team of any subset, in the order given. It is collective over its members only. All
  /// must name the same ranks in the same order, and call at the same place of their common
  /// sequence. A rank is the first member of at most 2^32 / ranks teams in a job's time:
  /// Error(out_of_memory) then.
  [[nodiscard]] static Team create(std::span<const Rank> members);
  /// One team for each color, members ordered by key, then by their number here. A negative color
  /// takes part but gets no team. Collective over this team.
  [[nodiscard]] Team split(int color, int key) const;
  [[nodiscard]] Team duplicate() const { return split(0, rank()); }

  /// Returns when all members have entered. What they wrote to the node's memory before is visible
  /// after; puts to other ranks are complete (it includes fence_all).
  void barrier() const;

  /// Collective allocation of n elements per member (n may differ, and be 0), zero-filled, aligned
  /// to at least 64 bytes. Throws Error(out_of_memory) on every member, naming what was asked by
  /// whom, what is free, and the limit that stops it.
  template <Transferable T>
  [[nodiscard]] Piece<T> allocate(std::size_t n) const {
    return Piece<T>(
        allocate_bytes(n > SIZE_MAX / sizeof(T) ? SIZE_MAX : n * sizeof(T), alignof(T)));
  }
  /// Collective. All copies of the piece become invalid. Throws Error(misuse) if it is not this
  /// team's.
  template <class T>
  void free(Piece<T>& piece) const {
    free_allotment(piece.allotment());
    piece = {};
  }

  /// `count` mutexes at this member; collective, counts may differ.
  [[nodiscard]] Mutexes create_mutexes(int count) const;
  void destroy_mutexes(Mutexes& mutexes) const;

  // -- data from one to all, all to one, all to all
  // --------------------------------------------------

  template <Transferable T>
  void broadcast(std::span<T> data, int root) const {
    broadcast_bytes(data.data(), data.size_bytes(), root);
  }
  template <detail::Single T>
  [[nodiscard]] T broadcast(T value, int root) const {
    broadcast_bytes(&value, sizeof value, root);
    return value;
  }
  /// all[i] is member i's value, at every member.
  template <detail::Single T>
  [[nodiscard]] std::vector<T> allgather(const T& mine) const {
    std::vector<T> all(static_cast<std::size_t>(size()));
    allgather_bytes(&mine, sizeof(T), all.data());
    return all;
  }
  /// Concatenates everybody's `mine` (equal lengths) in `all`.
  template <Transferable T>
  void allgather(std::span<const T> mine, std::span<T> all) const {
    expect_size("allgather", all.size(), mine.size() * static_cast<std::size_t>(size()));
    allgather_bytes(mine.data(), mine.size_bytes(), all.data());
  }
  /// Concatenates everybody's `mine` at the root only; `all` may be empty elsewhere.
  template <Transferable T>
  void gather(std::span<const T> mine, std::span<T> all, int root) const {
    if (rank() == root)
      expect_size("gather", all.size(), mine.size() * static_cast<std::size_t>(size()));
    gather_bytes(mine.data(), mine.size_bytes(), all.data(), root);
  }
  /// all[i] is member i's value, at the root; elsewhere the result is empty.
  template <detail::Single T>
  [[nodiscard]] std::vector<T> gather(const T& mine, int root) const {
    std::vector<T> all(rank() == root ? static_cast<std::size_t>(size()) : 0);
    gather_bytes(&mine, sizeof(T), all.data(), root);
    return all;
  }
  /// Block i of the root's `all` goes to member i, as its `mine`; `all` may be empty elsewhere.
  template <Transferable T>
  void scatter(std::span<const T> all, std::span<T> mine, int root) const {
    if (rank() == root)
      expect_size("scatter", all.size(), mine.size() * static_cast<std::size_t>(size()));
    scatter_bytes(all.data(), mine.size_bytes(), mine.data(), root);
  }
  /// The root's all[i] at member i.
  template <detail::Single T>
  [[nodiscard]] T scatter(std::span<const T> all, int root) const {
    T mine{};
    scatter(all, std::span<T>(&mine, 1), root);
    return mine;
  }
  /// Block i of `mine` goes to member i; block i of `all` comes from member i. Equal blocks.
  template <Transferable T>
  void alltoall(std::span<const T> mine, std::span<T> all) const {
    expect_size("alltoall", all.size(), mine.size());
    expect_size("alltoall", mine.size() % static_cast<std::size_t>(size()), 0);
    alltoall_bytes(mine.data(), mine.size_bytes() / static_cast<std::size_t>(size()), all.data());
  }

  // -- reductions
  // -------------------------------------------------------------------------------------

  /// Elementwise over members, in place, at every member. `op` is any callable T(T, T).
  template <Transferable T, class Op = std::plus<>>
  void allreduce(std::span<T> data, Op op = {}) const {
    allreduce_bytes(data.data(), {data.size(), sizeof(T), &detail::combine<T, Op>, &op});
  }
  template <detail::Single T, class Op = std::plus<>>
  [[nodiscard]] T allreduce(T value, Op op = {}) const {
    allreduce_bytes(&value, {1, sizeof(T), &detail::combine<T, Op>, &op});
    return value;
  }
  /// Combines as allreduce does, with the result at the root only; elsewhere `data` stays as it
  /// was.
  template <Transferable T, class Op = std::plus<>>
  void reduce(std::span<T> data, int root, Op op = {}) const {
    reduce_bytes(data.data(), {data.size(), sizeof(T), &detail::combine<T, Op>, &op}, root);
  }
  /// Returns the result at the root, elsewhere the value as it was.
  template <detail::Single T, class Op = std::plus<>>
  [[nodiscard]] T reduce(T value, int root, Op op = {}) const {
    reduce_bytes(&value, {1, sizeof(T), &detail::combine<T, Op>, &op}, root);
    return value;
  }
  /// Inclusive prefix: member i gets the combination of members 0 .. i.
  template <Transferable T, class Op = std::plus<>>
  void scan(std::span<T> data, Op op = {}) const {
    scan_bytes(data.data(), {data.size(), sizeof(T), &detail::combine<T, Op>, &op});
  }
  template <detail::Single T, class Op = std::plus<>>
  [[nodiscard]] T scan(T value, Op op = {}) const {
    scan_bytes(&value, {1, sizeof(T), &detail::combine<T, Op>, &op});
    return value;
  }

  /// Exclusive prefix, as std::exclusive_scan: member i gets the combination of `first` and members
  /// 0 .. i - 1. So member 0 gets `first`, which must be the same at all members.
  template <Transferable T, class Op = std::plus<>>
  void exclusive_scan(std::span<T> data, std::type_identity_t<T> first, Op op = {}) const {
    scan_bytes(data.data(), {data.size(), sizeof(T), &detail::combine<T, Op>, &op}, &first);
  }
  template <detail::Single T, class Op = std::plus<>>
  [[nodiscard]] T exclusive_scan(T value, std::type_identity_t<T> first, Op op = {}) const {
    scan_bytes(&value, {1, sizeof(T), &detail::combine<T, Op>, &op}, &first);
    return value;
  }

  explicit Team(std::shared_ptr<detail::TeamState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::TeamState>& state() const { return state_; }

  // The untyped calls behind the templates above; for C bindings too.
  [[nodiscard]] std::shared_ptr<const detail::Allotment> allocate_bytes(
      std::size_t bytes, std::size_t alignment) const;
  void free_allotment(const std::shared_ptr<const detail::Allotment>& allotment) const;
  void broadcast_bytes(void* data, std::size_t bytes, int root) const;
  void allgather_bytes(const void* mine, std::size_t bytes, void* all) const;
  void gather_bytes(const void* mine, std::size_t bytes, void* all, int root) const;
  void scatter_bytes(const void* all, std::size_t block_bytes, void* mine, int root) const;
  void alltoall_bytes(const void* mine, std::size_t block_bytes, void* all) const;
  void allreduce_bytes(void* data, const detail::Reduction& reduction) const;
  void reduce_bytes(void* data, const detail::Reduction& reduction, int root) const;
  /// `first`: one element that comes before all of them, and not the member's own; or nullptr.
  void scan_bytes(void* data, const detail::Reduction& reduction,
                  const void* first = nullptr) const;
  /// Throws Error(misuse) naming the call for a team that is empty, or outside a job.
  [[nodiscard]] detail::TeamState& checked(const char* call) const;

 private:
  static void expect_size(const char* call, std::size_t given, std::size_t expected);

  std::shared_ptr<detail::TeamState> state_;
};

}  // namespace armature
