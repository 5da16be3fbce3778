#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace armature::team {

/// Finds out which of several ways takes least time, for one kind of call of a team.
/// It has no clock and no team, so it is tested by itself.
///
/// Invariant: all members choose alike. The way of a call depends on two things alone. The first is
/// how many calls of the kind there were, which each member counts: members make the same calls in
/// the same order. The second is what all members have shown each other before that call, which
/// all of them read. What a member has measured itself counts only once it was shown.
///
/// While it tries, calls take the ways in turn, so that what disturbs some of them disturbs all
/// ways. The way with the smallest median is kept. A time is that of all members together: so what
/// members lose by arriving at different times counts as well. Later every so many calls members
/// show their times again. Where the median has changed by half, the pattern is another one, and
/// all ways are tried anew.
class Learner {
 public:
  static constexpr std::size_t ways_max = 4;
  static constexpr std::size_t trials = 4;       // of each way
  static constexpr std::size_t calls_kept = 24;  // of the way that is kept, from look to look
  static constexpr std::size_t looked_at = 12;   // the last ones of these

  /// `ways`: how many there are, from 1 to ways_max.
  explicit Learner(std::size_t ways) : ways_(ways) {}

  /// Whether members show each other their notes before the next call.
  [[nodiscard]] bool is_due() const { return calls_ == (tries_ ? ways_ * trials : calls_kept); }
  /// Returns the times that this member shows then, in ns.
  [[nodiscard]] std::span<const std::uint32_t> notes() const;
  /// Takes what all have shown: notes of(member) of each.
  using NotesOf = std::function<std::span<const std::uint32_t>(std::size_t member)>;
  void agree(std::size_t members, const NotesOf& of);

  /// The way of the next call. Not while notes are due.
  [[nodiscard]] std::size_t way() const { return tries_ ? calls_ % ways_ : kept_; }
  /// That call is over, and took this member so long.
  void note(std::uint64_t ns);

  [[nodiscard]] bool tries() const { return tries_; }
  /// How often ways were tried anew.
  [[nodiscard]] std::uint32_t changes() const { return changes_; }
  /// A call of the way that is kept, as all members together have noted it: time of each member on
  /// average, and how far the first to come was before the last.
  [[nodiscard]] std::uint32_t ns() const { return ns_; }
  [[nodiscard]] std::uint32_t skew_ns() const { return skew_ns_; }

 private:
  void decide(std::size_t members, const NotesOf& of);

  std::size_t ways_;
  bool tries_ = true;
  std::size_t calls_ = 0;  // since the members have met last
  std::size_t kept_ = 0;
  std::uint32_t ns_ = 0, skew_ns_ = 0, changes_ = 0;
  std::array<std::uint32_t, calls_kept> notes_{};
  static_assert(ways_max * trials <= calls_kept && looked_at <= calls_kept);
};

}  // namespace armature::team
