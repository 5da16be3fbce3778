#include "message/queues.hpp"

#include <cstdint>
#include <utility>

namespace armature::message {

namespace {

constexpr std::size_t places_at_first = 16;

/// The high bits of a product depend on all bits of its factors.
std::size_t hash_of(const Label& label) {
  constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;  // 2^64 divided by the golden ratio
  const auto source = static_cast<std::uint32_t>(label.source);
  const auto tag = static_cast<std::uint32_t>(label.tag);
  const std::uint64_t pair = static_cast<std::uint64_t>(source) << 32 | tag;
  return static_cast<std::size_t>((((pair + label.context * odd) * odd) >> 32) * odd >> 32);
}

}  // namespace

void Queue::append(Link& link) {
  link.is_in_queue = true;
  link.behind = nullptr;
  link.before = std::exchange(last_, &link);
  (link.before == nullptr ? first_ : link.before->behind) = &link;
}

void Queue::prepend(Link& link) {
  link.is_in_queue = true;
  link.before = nullptr;
  link.behind = std::exchange(first_, &link);
  (link.behind == nullptr ? last_ : link.behind->before) = &link;
}

void Queue::remove(Link& link) {
  link.is_in_queue = false;
  (link.before == nullptr ? first_ : link.before->behind) = link.behind;
  (link.behind == nullptr ? last_ : link.behind->before) = link.before;
}

/// Where the label's queue is, or would be: the first place from its hash on that is its or free.
std::size_t Queues::place_of(const Label& label) const {
  std::size_t place = hash_of(label) & (places_.size() - 1);
  while (!places_[place].queue.is_empty() && places_[place].label != label) place = next(place);
  return place;
}

void Queues::grow() {
  const auto before = std::exchange(places_, std::vector<Place>(2 * places_.size()));
  for (const Place& place : before)
    if (!place.queue.is_empty()) places_[place_of(place.label)] = place;
}

Queue& Queues::queue_of(const Label& label) {
  if (places_.empty()) places_.resize(places_at_first);
  const std::size_t there = place_of(label);
  if (!places_[there].queue.is_empty()) return places_[there].queue;
  if (2 * ++used_ > places_.size()) grow();
  Place& place = places_[place_of(label)];
  place.label = label;
  return place.queue;
}

void Queues::append(const Label& label, Link& link) { queue_of(label).append(link); }
void Queues::prepend(const Label& label, Link& link) { queue_of(label).prepend(link); }

/// Queues further on that a search would not reach over the gap any more move into it.
void Queues::close_gap(std::size_t gap) {
  const std::size_t mask = places_.size() - 1;
  for (std::size_t place = next(gap); !places_[place].queue.is_empty(); place = next(place)) {
    const std::size_t wanted = hash_of(places_[place].label) & mask;
    if (((place - wanted) & mask) < ((place - gap) & mask)) continue;
    places_[gap] = places_[place];
    gap = place;
  }
  places_[gap] = {};
}

void Queues::remove(const Label& label, Link& link) {
  if (!link.is_in_queue) return;
  const std::size_t place = place_of(label);
  places_[place].queue.remove(link);
  if (!places_[place].queue.is_empty()) return;
  --used_;
  close_gap(place);
}

}  // namespace armature::message
