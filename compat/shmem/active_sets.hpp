#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include <armature/team.hpp>

namespace shmem {

/// The PEs start, start + 2^log_stride, ..., as the deprecated collectives name them.
struct ActiveSet {
  int start, log_stride, size;

  friend auto operator<=>(const ActiveSet&, const ActiveSet&) = default;
  [[nodiscard]] int pe(int member) const { return start + (member << log_stride); }
  [[nodiscard]] bool has(int pe) const;
  /// A few words that name it, for errors.
  [[nodiscard]] std::string named() const;
};

/// The active sets that a PE has been in. Their members make a team when they first use one.
///
/// PEs that two sets share must call the sets' collectives in one order; otherwise each waits for
/// the other. With `armature run --check` each PE tells in which set's collective it is, and the
/// number of that collective in the set. So the second one of two that wait for each other finds
/// out.
class ActiveSets {
 public:
  /// Collective over all PEs: what they tell each other has a place from now on, with --check.
  void open();
  void close();

  /// The team of the set, in whose collective the PE is until leave(). Collective over the set when
  /// it is first used. Throws Error(bad_rank) for a set that goes beyond the PEs, or that the
  /// caller is not in; Error(misuse), with --check, where a PE waits in another set that both are
  /// in.
  const armature::Team& enter(const ActiveSet& set);
  void leave();

 private:
  struct Known {
    armature::Team team;  // none for all PEs
    std::uint32_t collectives = 0;
  };
  void require_one_order(const ActiveSet& set) const;

  std::map<ActiveSet, Known> known_;
  std::uint64_t* told_ = nullptr;  // symmetric; with --check alone
};

}  // namespace shmem
