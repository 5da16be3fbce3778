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
/// PEs that sets share must call the sets' collectives in one order; otherwise some wait for each
/// other, two or more in a circle. With `armature run --check` each PE tells in which set's
/// collective it is, and which one of each set it has entered last. So the last one of a circle
/// finds out: whoever waits for it waits for ever, and so does whoever waits for that one.
class ActiveSets {
 public:
  /// Collective over all PEs: what they tell each other has a place from now on, with --check.
  void open();
  void close();

  /// The team of the set, in whose collective the PE is until leave(). Collective over the set when
  /// it is first used. Throws Error(bad_rank) for a set that goes beyond the PEs, or that the
  /// caller is not in; Error(misuse), with --check, where PEs wait in other sets for each other and
  /// for the caller.
  const armature::Team& enter(const ActiveSet& set);
  void leave();

 private:
  struct Known {
    armature::Team team;  // none for all PEs
    std::uint32_t collectives = 0;
    std::size_t place = 0;  // among the words that it tells; 0: it tells nothing of the set
  };
  void tell(const ActiveSet& set, Known& known);
  void require_one_order(const ActiveSet& set) const;

  std::map<ActiveSet, Known> known_;
  std::uint64_t* told_ = nullptr;  // symmetric words; with --check alone
};

}  // namespace shmem
