#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "armature/detail/export.hpp"
#include "armature/detail/old_collectives.hpp"
#include "armature/global_ptr.hpp"
#include "armature/mutex.hpp"
#include "armature/operators.hpp"
#include "armature/piece.hpp"
#include "armature/rank.hpp"

namespace armature {

namespace detail {
class TeamState;
}

/// An ordered subset of the job's ranks (ARMCI group, communicator): allocation and collectives
/// among them. Members are numbered 0 .. size-1 in the team's own order. A value: copies are the
/// same team.
///
/// Collectives are free functions (collectives.hpp); the calls that are said here to be collective
/// keep the same rules.
class ARMATURE_API Team : public detail::OldCollectives<Team> {
 public:
  Team() = default;

  /// The caller's number in this team.
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
  /// Makes one team for each color, members ordered by key, then by their number here. A negative
  /// color takes part but gets no team. Collective over this team.
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
    free_table(piece.table());
    piece = {};
  }

  /// Collective. Makes `count` mutexes at this member; counts may differ.
  [[nodiscard]] Mutexes create_mutexes(int count) const;
  void destroy_mutexes(Mutexes& mutexes) const;

  explicit Team(std::shared_ptr<detail::TeamState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::TeamState>& state() const { return state_; }
  /// Throws Error(misuse) naming the call for a team that is empty, or outside a job.
  [[nodiscard]] detail::TeamState& checked(const char* call) const;

  // The untyped calls behind the templates above.
  [[nodiscard]] std::shared_ptr<const detail::AllocationTable> allocate_bytes(
      std::size_t bytes, std::size_t alignment) const;
  void free_table(const std::shared_ptr<const detail::AllocationTable>& table) const;

  // Deprecated, as are the members of OldCollectives.
  [[deprecated("use free_table")]] void free_allotment(
      const std::shared_ptr<const detail::AllocationTable>& table) const {
    free_table(table);
  }
  [[deprecated("use armature::broadcast, of std::byte")]] void broadcast_bytes(void* data,
                                                                               std::size_t bytes,
                                                                               int root) const;
  [[deprecated("use armature::allgather, of std::byte")]] void allgather_bytes(const void* mine,
                                                                               std::size_t bytes,
                                                                               void* all) const;
  [[deprecated("use armature::gather, of std::byte")]] void gather_bytes(const void* mine,
                                                                         std::size_t bytes,
                                                                         void* all, int root) const;
  [[deprecated("use armature::scatter, of std::byte")]] void scatter_bytes(const void* all,
                                                                           std::size_t block_bytes,
                                                                           void* mine,
                                                                           int root) const;
  [[deprecated("use armature::alltoall, of std::byte")]] void alltoall_bytes(
      const void* mine, std::size_t block_bytes, void* all) const;
  [[deprecated("use armature::allreduce")]] void allreduce_bytes(
      void* data, const detail::Reduction& reduction) const;
  [[deprecated("use armature::reduce")]] void reduce_bytes(void* data,
                                                           const detail::Reduction& reduction,
                                                           int root) const;
  [[deprecated("use armature::scan or exclusive_scan")]] void scan_bytes(
      void* data, const detail::Reduction& reduction, const void* first = nullptr) const;

 private:
  // For programs that were compiled before collectives.hpp.
  static void expect_size(const char* call, std::size_t given, std::size_t expected);

  std::shared_ptr<detail::TeamState> state_;
};

}  // namespace armature
