#pragma once

#include <cstddef>
#include <cstdint>

#include "space/team_block.hpp"

namespace armature::team {

/// The lines of a team's block for pipelined rounds (pipelined_round.hpp), as one member sees them:
/// for each member one line for each step since the last round. A step is one pipelined round.
class Pipeline {
 public:
  static constexpr std::size_t bytes_max = space::MemberLine::inline_bytes;
  static constexpr std::size_t long_bytes_max = space::TeamBlock::staging_bytes / 2;
  /// Beside the signature of a member that has no bytes, since combining them has failed.
  static constexpr std::uint64_t failed = std::uint64_t{1} << space::MemberLine::shown_shift;

  /// Both belong to the Lines that this is a part of.
  Pipeline(space::TeamBlock* const& block, const std::uint64_t& round)
      : block_(block), round_(round) {}

  /// Whether the members have to meet in a round: all lines are used up, or as many steps were
  /// taken since they have compared their calls.
  [[nodiscard]] bool is_full() const {
    return step_ == space::TeamBlock::pipeline_depth ||
           uncompared_ == space::TeamBlock::pipeline_depth;
  }
  /// The member has entered a round.
  void begin_again() {
    step_ = 0;
    uses_staging_ = false;
  }

  /// Begins the next step, in which members show so many bytes.
  void begin_step(std::size_t shown) {
    ++step_;
    ++uncompared_;
    uses_staging_ = uses_staging_ || shown > bytes_max;
  }
  /// Whether the staging of some members may be in use since the last round. The same at all.
  [[nodiscard]] bool uses_staging() const { return uses_staging_; }
  [[nodiscard]] space::PipelinedLine name(int member, std::uint32_t back = 0) const {
    return {round_, step_ - back, static_cast<std::uint32_t>(member)};
  }
  [[nodiscard]] space::MemberLine& line(int member) const { return block_->line(name(member)); }
  /// The place for that member's bytes of this step. For more than bytes_max it is a half of the
  /// staging of the round that comes next, which every second step has again. Nobody reads that of
  /// the round before last any more.
  [[nodiscard]] std::byte* room(int member, std::size_t bytes) const {
    if (bytes <= bytes_max) return line(member).payload;
    return block_->staging(static_cast<std::size_t>(member), round_ + 1) +
           step_ % 2 * long_bytes_max;
  }
  /// Shows what lies at this member's place, and that it is in this step. `has_failed`: there are
  /// no bytes, since combining them has failed.
  void enter(int me, std::uint64_t signature, bool has_failed);
  /// Whether that member has entered this step, or the one so many before it. Acquire: then its
  /// line can be read. In the steps before a round all have been.
  [[nodiscard]] bool has_entered(int member, std::uint32_t back = 0) const {
    if (step_ <= back) return true;
    const space::PipelinedLine of = name(member, back);
    return block_->line(of).round.load(std::memory_order_acquire) >= of.number();
  }

  /// A sum of all that this member has called in pipelined rounds so far. Equal at all members in a
  /// round, unless they have disagreed.
  [[nodiscard]] std::uint64_t calls() const { return calls_ == 0 ? 0 : mixed_calls(); }
  /// They have compared it in a round.
  void have_compared() { uncompared_ = 0; }
  /// They have found out that they disagreed.
  void forget_calls() { calls_ = 0; }

 private:
  [[nodiscard]] std::uint64_t mixed_calls() const;

  space::TeamBlock* const& block_;
  const std::uint64_t& round_;
  std::uint32_t step_ = 0;
  std::uint32_t uncompared_ = 0;  // steps
  bool uses_staging_ = false;
  std::uint64_t calls_ = 0;
};

}  // namespace armature::team
