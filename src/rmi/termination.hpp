#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/fail.hpp"

// Decides when rmi_fence is over: when every request that the members of a team sent each other
// before they entered, and every request that those caused, has been executed. Found out in waves
// over lines that all members read. This is the decision alone, without memory order or input and
// output, so that the fence and the test of every interleaving share it. Proof:
// docs/internals/fence.md.

namespace armature::rmi {

/// Requests between the members of a team, counted by one member since the job began. Never less
/// than before: `sent` counts a request before anyone can see it, `executed` after its method
/// returned.
struct Tally {
  std::uint64_t sent = 0;
  std::uint64_t executed = 0;

  bool operator==(const Tally&) const = default;
};

/// One member's view of the fences of one team, which follow each other: waves are numbered
/// through. The caller shows this member's tally as it is *at that moment* on its line of parity
/// wave() % 2, and then the wave's number. It does so after begin() and whenever advance() says so.
class Termination {
 public:
  enum class Step {
    wait,        // another member has not come so far: look again later
    show,        // the next wave begins: show this member's tally again, then go on
    finished,    // the fence is over, at the same wave for all members
    miscounted,  // more executed than sent: a mistake of ours, the counters are wrong
  };

  static constexpr std::size_t lines = 2;  // per member, taking turns
  static constexpr std::size_t line_of(std::uint64_t wave) { return wave % lines; }

  /// A new fence begins. One at a time.
  void begin() {
    ARMATURE_ASSERT(!under_way_);
    under_way_ = true;
    enter_next_wave();
  }

  /// Looks at the lines still missing in this wave. read(member, wave) is an optional Tally: none
  /// while that member's line of that wave shows an earlier number (it cannot show a later one).
  template <class Read>
  [[nodiscard]] Step advance(int members, Read&& read) {
    ARMATURE_ASSERT(under_way_);
    for (; awaited_ < members; ++awaited_) {
      const std::optional<Tally> shown = read(awaited_, wave_);
      if (!shown) return Step::wait;
      sums_.sent += shown->sent;
      sums_.executed += shown->executed;
    }
    return conclude();
  }

  [[nodiscard]] bool under_way() const { return under_way_; }
  /// The wave entered last.
  [[nodiscard]] std::uint64_t wave() const { return wave_; }
  /// The member whose line is looked for: whom the fence waits for.
  [[nodiscard]] int awaited() const { return awaited_; }
  /// Sums the lines seen in this wave.
  [[nodiscard]] const Tally& sums() const { return sums_; }
  /// The executed calls of the wave before, where that belongs to the same fence.
  [[nodiscard]] const std::optional<std::uint64_t>& executed_before() const {
    return executed_before_;
  }

 private:
  void enter_next_wave() {
    ++wave_;
    awaited_ = 0;
    sums_ = {};
  }

  // Equal: all that was sent up to this wave had been executed by the wave before.
  Step conclude() {
    if (executed_before_ == sums_.sent) {
      under_way_ = false;
      executed_before_ = sums_.executed;
      return Step::finished;
    }
    if (executed_before_ > sums_.sent) return Step::miscounted;
    executed_before_ = sums_.executed;
    enter_next_wave();
    return Step::show;
  }

  std::uint64_t wave_ = 0;
  Tally sums_;
  std::optional<std::uint64_t> executed_before_;
  int awaited_ = 0;
  bool under_way_ = false;
};

}  // namespace armature::rmi
