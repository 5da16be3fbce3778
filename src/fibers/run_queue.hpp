#pragma once

#include <cstddef>
#include <cstdint>

#include "fibers/host_process.hpp"
#include "fibers/ready_queue.hpp"

namespace armature::fibers {

/// Less is not worth the caches that a rank leaves behind.
inline constexpr std::uint64_t cost_min_ns = 10'000;

/// Expects its next turn to be long: it does not just look whether it may go on. Known where ranks
/// are balanced.
[[nodiscard]] inline bool is_costly(const RankFiber& fiber) {
  return !fiber.waiting.looks && fiber.cost_ns >= cost_min_ns;
}

/// The ranks of a process that are to have turns: those that are ready, and those that poll.
class RunQueue {
 public:
  explicit RunQueue(const HostProcess& host) : host_(host) {}

  [[nodiscard]] bool empty() const { return ready_.empty(); }
  [[nodiscard]] bool has_several() const { return ready_.has_several(); }
  /// Queues a rank that is ready.
  [[gnu::always_inline]] void push(RankFiber& fiber) {
    fiber.state = RankFiber::State::ready;
    if (some_are_urgent_ && fiber.is_urgent()) [[unlikely]]
      return ready_.push_urgent(fiber);
    if (host_.balances && is_costly(fiber)) [[unlikely]]
      return ready_.push_costly(fiber);
    ready_.push(fiber);
  }
  [[nodiscard]] const RankFiber* front() const { return ready_.front(); }
  /// nullptr when none is ready.
  RankFiber* pop() { return ready_.pop(); }
  template <class Good>
  RankFiber* take(Good is_good) {
    return ready_.take(is_good);
  }
  void clear();

  /// Queues a rank that waits for what nobody need notify it of: it looks again now and then, and
  /// at once where somebody does.
  void push_poller(RankFiber& fiber) {
    fiber.state = RankFiber::State::polls;
    pollers_.push(fiber);
  }
  /// Has one of these look; false: there is none.
  bool wake_poller();
  /// Has that one look.
  void wake_poller(const RankFiber& fiber);

  /// How many turns there were, or looks instead of one.
  std::uint32_t count_turn() { return ++turns_; }
  [[nodiscard]] std::uint32_t turns() const { return turns_; }

  /// True after so many turns that looking at all that are ready costs little by comparison. A rank
  /// that comes into a queue meanwhile is put where it belongs at once.
  [[nodiscard]] bool is_time_for_urgent() const;
  /// Says that some ranks are more urgent than their priority says. Acquire: so it is seen which.
  void expect_urgent();
  /// Urgent ranks go before others, and who is in no queue yet when it comes into one.
  void expedite();
  [[nodiscard]] bool some_are_urgent() const { return some_are_urgent_; }

 private:
  const HostProcess& host_;
  ReadyQueue ready_;
  RankQueue pollers_;
  std::uint32_t turns_ = 0;
  std::uint32_t urgent_turn_ = 0;  // when it last looked for those that are urgent
  std::size_t looked_at_ = 0;      // at so many
  bool some_are_urgent_ = false;   // have ever been
};

}  // namespace armature::fibers
