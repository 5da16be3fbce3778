#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "armature/handle.hpp"
#include "armature/team.hpp"
#include "collective/algorithms.hpp"
#include "collective/engine.hpp"

namespace armature::collective {

/// One call of a collective: who calls, what it is made of, and its beginning.
class Call {
 public:
  /// Throws Error(misuse) for a team that is empty, and outside a job.
  Call(const Team& team, const char* name);

  [[nodiscard]] const Members& members() const { return members_; }
  [[nodiscard]] Schedule& schedule() { return *schedule_; }
  /// How many nodes the members are on: 1, or more.
  [[nodiscard]] int nodes() const;
  /// Whether the job wants one order of combining, whatever else is faster.
  [[nodiscard]] bool is_reproducible() const;
  // Checks of the member's own arguments. Where one fails the others are told, as they wait.
  /// Throws Error(bad_rank).
  void require_root(int root) const;
  /// Throws Error(bad_argument) unless there is one for each member; and where they are more than
  /// an address space holds.
  void require_counts(std::span<const std::size_t> counts, std::size_t bytes_each) const;
  /// Throws Error(bad_argument) unless the member's own block is as long where it comes from as
  /// where it goes.
  void require_own_block(std::size_t bytes_from, std::size_t bytes_to) const;

  [[nodiscard]] Handle start(Buffers buffers, Operator with = {});
  /// The member's part, with all memory that it needs, of one that may not be run after all. Throws
  /// Error(out_of_memory), and std::bad_alloc; nobody is told.
  [[nodiscard]] std::unique_ptr<Operation> prepare(Buffers buffers, Operator with);
  /// Begins it, and returns when it is over.
  void run(std::unique_ptr<Operation> prepared);

 private:
  template <class Check>
  void require(Check&& check) const;
  [[nodiscard]] std::unique_ptr<Operation> make(Buffers buffers, Operator with);

  const Team& team_;
  const char* name_;
  Members members_;
  std::shared_ptr<Schedule> schedule_ = std::make_shared<Schedule>();
};

/// The places, in bytes, where blocks of so many elements begin, and where the last ends.
[[nodiscard]] std::vector<std::size_t> offsets_of(std::span<const std::size_t> counts,
                                                  std::size_t bytes_each);
[[nodiscard]] std::vector<std::size_t> equal_offsets(int members, std::size_t block);

}  // namespace armature::collective
