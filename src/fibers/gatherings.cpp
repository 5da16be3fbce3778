#include "fibers/gatherings.hpp"

#include <algorithm>
#include <utility>

#include "base/process_memory.hpp"

namespace armature::fibers {

void Gatherings::add(RankFiber& fiber, const std::atomic<std::uint64_t>& word,
                     std::uint64_t value) {
  if (Gathering* const before = fiber.waiting.gathering; before != nullptr) {
    if (before->word == &word && before->value == value) return;
    take_out(fiber);
  }
  const base::ProcessMemory of_process;
  if (last_ == nullptr || last_->word != &word) last_ = &of(word, value);
  Gathering& gathering = *last_;
  // Members of a team wait for different rounds only where some have not seen yet that theirs is
  // over. They look once more for the later one.
  gathering.value = std::min(gathering.value, value);
  fiber.waiting.gathering = &gathering;
  fiber.waiting.place = gathering.ranks.size();
  gathering.ranks.push_back(&fiber);
}

Gathering& Gatherings::of(const std::atomic<std::uint64_t>& word, std::uint64_t value) {
  const auto [at, is_new] = gatherings_.try_emplace(&word, Gathering{&word, value, {}});
  if (is_new) at->second.ranks = std::exchange(room_, {});
  return at->second;
}

void Gatherings::take_out(RankFiber& fiber) {
  Gathering& gathering = *std::exchange(fiber.waiting.gathering, nullptr);
  RankFiber* const last = gathering.ranks.back();
  last->waiting.place = fiber.waiting.place;
  gathering.ranks[fiber.waiting.place] = last;
  gathering.ranks.pop_back();
  if (gathering.ranks.empty()) end(gathering);
}

void Gatherings::end(Gathering& gathering) {
  const base::ProcessMemory of_process;
  if (last_ == &gathering) last_ = nullptr;
  gathering.ranks.clear();
  if (gathering.ranks.capacity() > room_.capacity()) room_.swap(gathering.ranks);
  gatherings_.erase(gathering.word);
}

void Gatherings::clear() {
  const base::ProcessMemory of_process;
  last_ = nullptr;
  gatherings_.clear();
}

}  // namespace armature::fibers
