#include "fibers/run_queue.hpp"

namespace armature::fibers {
namespace {

// Ranks looked at for each turn, at most, because some are urgent.
constexpr std::size_t looks_per_turn = 16;

}  // namespace

void RunQueue::clear() {
  ready_ = {};
  pollers_ = {};
}

bool RunQueue::wake_poller() {
  RankFiber* const poller = pollers_.pop();
  if (poller != nullptr) push(*poller);
  return poller != nullptr;
}

void RunQueue::wake_poller(const RankFiber& fiber) {
  (void)pollers_.take_all([&](const RankFiber& poller) { return &poller == &fiber; },
                          [this](RankFiber& poller) { push(poller); });
}

bool RunQueue::is_time_for_urgent() const {
  return turns_ - urgent_turn_ >= looked_at_ / looks_per_turn;
}

void RunQueue::expect_urgent() {
  host_.slot.has_urgent.exchange(0, std::memory_order_acquire);
  some_are_urgent_ = true;
}

void RunQueue::expedite() {
  looked_at_ = pollers_.take_all([](const RankFiber& fiber) { return fiber.is_urgent(); },
                                 [this](RankFiber& fiber) { push(fiber); });
  looked_at_ += ready_.expedite();
  urgent_turn_ = turns_;
}

}  // namespace armature::fibers
