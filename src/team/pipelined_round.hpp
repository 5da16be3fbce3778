#pragma once

#include <cstddef>

#include "team/signature.hpp"
#include "team/team_state.hpp"

namespace armature::team {

/// A round in which a member waits only for those whose bytes it reads: a root for all, the others
/// for the root or for nobody. For a short broadcast, gather, scatter, reduce or scan on one node.
/// docs/internals/rounds.md, Pipelined rounds
class PipelinedRound {
 public:
  /// Whether a team has such rounds. The same at all members.
  [[nodiscard]] static bool is_for(const detail::TeamState& team);
  /// Whether calls in which each member shows or is given so many bytes go by these: what a line
  /// has room for.
  [[nodiscard]] static bool is_for(const detail::TeamState& team, std::size_t bytes) {
    return bytes <= Pipeline::bytes_max && is_for(team);
  }

  /// Begins it. First meets the others in a round where all lines are used up. `shown`: the bytes
  /// that a member shows; more than a line has room for are only for a member that waits until
  /// those that read them have done so.
  PipelinedRound(detail::TeamState& team, const Agreed& agreed, const char* call,
                 std::size_t shown);

  /// Before a root lays bytes into others' staging: meets them if that may be in use.
  static void free_staging(detail::TeamState& team, const char* call);

  /// The place for a member's bytes: by the member itself, or by the root of a scatter.
  [[nodiscard]] std::byte* room(int member) const { return lines_.room(member, shown_); }
  /// Shows them; or that there are none, since combining them has failed.
  void enter(bool has_failed = false);
  /// Wakes a member that may wait for this one; or all.
  void notify(int member) const;
  void notify_all() const;
  /// Returns what that member shows, when it has come; nullptr where it has failed. Throws
  /// Error(bad_argument) where it shows another call, and Error(rank_lost) where it never comes.
  [[nodiscard]] const std::byte* await(int member) const;
  /// The bytes at this member's own place.
  [[nodiscard]] const std::byte* own() const;
  /// Returns when that member, which reads this one's bytes before it enters, has entered the
  /// pipelined round so many before this one.
  void await_reader(int member, std::uint32_t back) const;

 private:
  void wait_for(int member, std::uint32_t back) const;
  [[noreturn]] void disagree(int member, std::uint64_t theirs) const;

  detail::TeamState& team_;
  Pipeline& lines_;
  const Agreed& agreed_;
  const std::size_t shown_;
  const std::uint64_t signature_;
  const char* const call_;
};

}  // namespace armature::team
