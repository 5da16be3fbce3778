#include "fibers/ready_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace armature::fibers {
namespace {

// Picks by priority before one of the priority whose turn it is.
constexpr std::uint32_t picks_per_turn = 8;

}  // namespace

bool ReadyQueue::has_several() const {
  int ready = 0;
  const auto count = [&](const RankQueue& queue) {
    if (!queue.empty()) ready += queue.has_several() ? 2 : 1;
  };
  count(usual_);
  std::for_each(std::begin(by_level_), std::end(by_level_), count);
  count(costly_);
  count(costly_next_);
  return ready > 1;
}

void ReadyQueue::push_other(RankFiber& fiber, int level) {
  by_level_[level].push(fiber);
  others_ |= 1u << level;
}

void ReadyQueue::push_costly(RankFiber& fiber) {
  if (fiber.priority != 0) return push_other(fiber, level_of(fiber));
  if ((others_ & costly_bit) == 0) until_costly_ = usual_.size();
  costly_next_.push_by_cost(fiber, looks_max);
  others_ |= costly_bit;
}

void ReadyQueue::push_urgent(RankFiber& fiber) {
  // Relaxed: it only decides whose turn it is. What is read because of it has an order of its own.
  const std::uint32_t urgency = fiber.slot->urgency.exchange(0, std::memory_order_relaxed);
  const int level = std::max(level_of(fiber), static_cast<int>(urgency) - 1);
  level == usual_level ? usual_.push(fiber) : push_other(fiber, level);
}

std::size_t ReadyQueue::expedite() {
  RankQueue urgent;
  std::size_t count = 0;
  const auto is_urgent = [](const RankFiber& fiber) { return fiber.is_urgent(); };
  const auto look_at = [&](RankQueue& queue) {
    count += queue.take_all(is_urgent, [&](RankFiber& fiber) { urgent.push(fiber); });
  };
  for (int level = levels - 1; level-- > 0;) look_at(queue(level));
  look_at(costly_);
  look_at(costly_next_);
  if (until_costly_ > 0)  // size() goes through all of them
    until_costly_ = std::min(until_costly_, usual_.size());
  (void)note(nullptr);
  while (RankFiber* const fiber = urgent.pop()) push_urgent(*fiber);
  return count;
}

RankFiber* ReadyQueue::note(RankFiber* taken) {
  for (int level = 0; level < levels; ++level)
    if (by_level_[level].empty()) others_ &= ~(1u << level);
  if (usual_.empty()) until_costly_ = 0;
  if (costly_.empty() && costly_next_.empty()) others_ &= ~costly_bit;
  return taken;
}

RankFiber* ReadyQueue::pop_usual() {
  if (until_costly_ > 0) {
    --until_costly_;
    return usual_.pop();
  }
  if (costly_.empty()) std::swap(costly_, costly_next_);
  if (RankFiber* const fiber = costly_.pop()) {
    until_costly_ = usual_.size();
    return fiber;
  }
  return usual_.pop();
}

RankFiber* ReadyQueue::pop_by_priority() {
  const auto pop_from = [&](int level) {
    return level == usual_level ? pop_usual() : by_level_[level].pop();
  };
  if (++picks_ % picks_per_turn == 0) {
    level_in_turn_ = (level_in_turn_ + 1) % levels;
    if (RankFiber* const fiber = pop_from(level_in_turn_)) return note(fiber);
  }
  for (int level = levels; level-- > 0;)
    if (RankFiber* const fiber = pop_from(level)) return note(fiber);
  return nullptr;
}

}  // namespace armature::fibers
