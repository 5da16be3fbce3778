#include "virtual/ready_queue.hpp"

#include <algorithm>
#include <iterator>

namespace armature::fibers {
namespace {

// So many are picked by priority, then one of the priority whose turn it is.
constexpr std::uint32_t picks_per_turn = 8;

}  // namespace

bool ReadyQueue::has_several() const {
  return usual_.has_several() ||
         std::any_of(std::begin(by_level_), std::end(by_level_),
                     [](const RankQueue& queue) { return queue.has_several(); });
}

void ReadyQueue::push_other(RankFiber& fiber) {
  const int level = usual_level + fiber.priority;
  by_level_[level].push(fiber);
  others_ |= 1u << level;
}

RankFiber* ReadyQueue::pop_from(int level) {
  RankFiber* const fiber = queue(level).pop();
  if (level != usual_level && queue(level).empty()) others_ &= ~(1u << level);
  return fiber;
}

RankFiber* ReadyQueue::pop_by_priority() {
  if (++picks_ % picks_per_turn == 0) {
    level_in_turn_ = (level_in_turn_ + 1) % levels;
    if (RankFiber* const fiber = pop_from(level_in_turn_)) return fiber;
  }
  for (int level = levels; level-- > 0;)
    if (RankFiber* const fiber = pop_from(level)) return fiber;
  return nullptr;
}

}  // namespace armature::fibers
