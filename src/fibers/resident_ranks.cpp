#include "fibers/resident_ranks.hpp"

#include <utility>

namespace armature::fibers {

ResidentRanks::ResidentRanks(const space::Mapping& mapping)
    : mapping_(mapping), guarded_(static_cast<std::size_t>(mapping.ranks())) {
  // Later a rank may run, whose memory rolls back to what it was.
  for (auto* list : {&all_, &announced_, &looking_})
    list->reserve(static_cast<std::size_t>(mapping.ranks()));
}

void ResidentRanks::add(RankFiber& fiber) {
  fiber.place = all_.size();
  all_.push_back(&fiber);
}

void ResidentRanks::remove(RankFiber& fiber) {
  RankFiber* const last = all_.back();
  last->place = fiber.place;
  all_[fiber.place] = last;
  all_.pop_back();
}

void ResidentRanks::forget(RankFiber& fiber) {
  remove(fiber);
  if (std::exchange(fiber.waiting.is_announced, false)) std::erase(announced_, &fiber);
}

void ResidentRanks::clear() {
  all_.clear();
  announced_.clear();
  // Segments were protected anew where their ranks have come from another node, or gone there.
  guarded_.assign(guarded_.size(), false);
}

void ResidentRanks::note_guard(const RankFiber& fiber) {
  guarded_[static_cast<std::size_t>(fiber.rank)] = true;
}

void ResidentRanks::guard(const RankFiber& fiber) {
  if (!guarded_[static_cast<std::size_t>(fiber.rank)]) fiber.arrange_process(mapping_);
  note_guard(fiber);
}

void ResidentRanks::announce(RankFiber& fiber) {
  if (!std::exchange(fiber.waiting.is_announced, true)) announced_.push_back(&fiber);
}

}  // namespace armature::fibers
