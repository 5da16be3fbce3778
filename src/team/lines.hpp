#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/valgrind.hpp"
#include "space/team_block.hpp"
#include "team/pipeline.hpp"
#include "team/user_call.hpp"

namespace armature::team {

/// Whether all members have entered that round, as far as their lines in this block say.
[[nodiscard]] bool have_entered(space::TeamBlock& block, std::uint64_t round);

/// The lines and staging of a team's block, by which its members show each other bytes, as one of
/// them sees them. Who may write and read which of them when: TeamState.
class Lines {
 public:
  static constexpr std::size_t bytes_max = space::TeamBlock::staging_bytes;

  Lines(space::TeamBlock& block, int me)
      : block_(&block), me_(static_cast<std::size_t>(me)), pipeline_(block_, round_) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// nullptr: the member has let go of it.
  [[nodiscard]] space::TeamBlock* block() const { return block_; }
  void leave_block() { block_ = nullptr; }
  /// The member is in another block. In one that is new there was no round yet.
  void move_to(space::TeamBlock& block, bool is_new) {
    block_ = &block;
    if (!is_new) return;
    round_ = 0;
    pipeline_.begin_again();
  }

  /// The call of the program that this member's rounds are parts of now. Atomic, as a thread that
  /// should not may call meanwhile.
  [[nodiscard]] std::atomic<UserCall>& user_call() { return user_call_; }

  /// How many rounds this member has entered.
  [[nodiscard]] std::uint64_t round() const { return round_; }
  /// Shows what outgoing() holds, and that this member is in the next round.
  void enter(std::uint64_t signature);
  /// Shows that it gives the round up.
  void give_up();

  /// The place for this member's bytes in the round that it enters next: at most bytes_max.
  [[nodiscard]] std::byte* outgoing(std::size_t bytes);
  /// The place in the staging of another member where a root puts bytes for that round; it has room
  /// for bytes_max. That member shows nothing itself.
  [[nodiscard]] std::byte* outgoing_at(int member) { return staging(member, round_ + 1); }
  /// That member's bytes of the round that was completed last.
  [[nodiscard]] const std::byte* incoming(int member, std::size_t bytes) const;
  /// The bytes that a root has put into that member's staging for that round.
  [[nodiscard]] const std::byte* incoming_at(int member) const {
    const std::byte* const shown = staging(member, round_);
    base::mark_defined(shown, bytes_max);
    return shown;
  }
  /// How many bytes a member has shown in that round.
  [[nodiscard]] std::size_t shown_by(int member) const {
    return space::MemberLine::shown(signature_of(member));
  }
  /// The first member that has shown something in that round, and how much; nullopt: nobody has.
  struct First {
    int member;
    std::size_t bytes;
  };
  [[nodiscard]] std::optional<First> first_to_show() const;

  [[nodiscard]] std::uint64_t signature_of(int member) const { return line(member).signature; }
  [[nodiscard]] bool has_entered(std::size_t member) const {
    return block_->line(member, round_).round.load(std::memory_order_acquire) >= round_;
  }
  [[nodiscard]] bool have_all_entered() const { return have_entered(*block_, round_); }
  [[nodiscard]] bool somebody_has_given_up() const;

  /// The lines of the pipelined rounds between this round and the next.
  [[nodiscard]] Pipeline& pipeline() { return pipeline_; }

  // In a large team, which is not flat, the first member of the node looks at all lines for the
  // others (release.hpp).
  [[nodiscard]] bool are_flat() const { return block_->size <= space::TeamBlock::flat_max; }
  /// Whether the first member has found all signatures of the round equal.
  [[nodiscard]] bool are_known_to_agree() const;

 private:
  [[nodiscard]] space::MemberLine& line(int member) const {
    return block_->line(static_cast<std::size_t>(member), round_);
  }
  [[nodiscard]] std::byte* staging(int member, std::uint64_t round) const {
    return block_->staging(static_cast<std::size_t>(member), round);
  }

  space::TeamBlock* block_;
  const std::size_t me_;
  std::atomic<UserCall> user_call_ = UserCall::none;
  std::uint64_t round_ = 0;
  Pipeline pipeline_;
};

}  // namespace armature::team
