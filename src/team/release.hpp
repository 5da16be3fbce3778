#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "team/lines.hpp"

namespace armature::team {

/// The part of a large team's block by which the leader, the first member of the node, looks at all
/// lines for the others: whom it waits for, which round it has released, and what it has combined
/// of that round. docs/internals/rounds.md
class Release {
 public:
  explicit Release(const Lines& lines) : lines_(lines), block_(*lines.block()) {}

  /// By the leader: says for whom it waits.
  void await(std::size_t member) {
    block_.awaited.store(static_cast<std::uint32_t>(member), std::memory_order_relaxed);
  }
  /// By the leader: all that enter are to notify it.
  void await_anybody() {
    block_.awaited.store(space::TeamBlock::anybody, std::memory_order_relaxed);
  }
  /// Whether the leader may wait for that member, which has entered the round.
  [[nodiscard]] bool awaits(int member) const;

  /// By the leader, when all have entered: whether they agree about the call.
  [[nodiscard]] bool compare();
  /// By the leader: all have entered; or it looks no more.
  void release();
  void release_for_ever();
  /// The round that was released last; TeamBlock::never_more: each looks for itself.
  [[nodiscard]] const std::atomic<std::uint64_t>& word() const { return block_.released; }
  [[nodiscard]] std::uint64_t round() const { return word().load(std::memory_order_acquire); }

  /// The place for what the leader combines of all that is shown in the round, before it releases
  /// it: at most Lines::bytes_max. Nobody reads the result of the round before any more, since all
  /// have entered this one.
  [[nodiscard]] std::byte* room(std::size_t bytes) const;
  /// By the leader: it is in place.
  void note_result() { block_.reduced.store(lines_.round(), std::memory_order_relaxed); }
  /// That result, once the round is over. nullptr: there is none, each combines for itself.
  [[nodiscard]] const std::byte* result(std::size_t bytes) const;

 private:
  const Lines& lines_;
  space::TeamBlock& block_;
};

}  // namespace armature::team
