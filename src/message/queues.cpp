#include "message/queues.hpp"

#include <algorithm>
#include <bit>
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

void insert(Chain& link, Chain& before, Chain& behind) {
  link.before = &before;
  link.behind = &behind;
  before.behind = &link;
  behind.before = &link;
}

}  // namespace

void Link::leave() {
  if (!is_in_queue()) return;
  before->behind = behind;
  behind->before = std::exchange(before, nullptr);
}

/// Finds the label's place, or where it would be: the first from its hash on that is its or not
/// used.
std::size_t Queues::place_of(const Label& label) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash_of(label) & mask;
  while (places_[place].is_used && places_[place].label != label) place = (place + 1) & mask;
  return place;
}

/// Queues that are empty are left out. A third of the places is used then at most: a larger table
/// would lie in a slower cache.
void Queues::make_anew() {
  const auto has_items = [](const Place& place) { return place.is_used && !place.is_empty(); };
  used_ = static_cast<std::size_t>(std::ranges::count_if(places_, has_items));
  const std::size_t size = std::max(places_at_first, std::bit_ceil(3 * (used_ + 1)));
  const auto before = std::exchange(places_, std::vector<Place>(size));
  for (const Place& old : before) {
    if (!has_items(old)) continue;
    Place& place = places_[place_of(old.label)];
    place.label = old.label;
    place.is_used = true;
    place.queue = old.queue;
    place.queue.before->behind = &place.queue;
    place.queue.behind->before = &place.queue;
  }
}

Chain& Queues::queue_of(const Label& label) {
  if (!places_.empty()) {
    Place& there = places_[place_of(label)];
    if (there.is_used) return there.queue;
  }
  if (2 * (used_ + 1) > places_.size()) make_anew();
  Place& place = places_[place_of(label)];
  ++used_;
  place.label = label;
  place.is_used = true;
  place.queue = {&place.queue, &place.queue};
  return place.queue;
}

void Queues::append(const Label& label, Link& link) {
  Chain& queue = queue_of(label);
  insert(link, *queue.before, queue);
}

void Queues::prepend(const Label& label, Link& link) {
  Chain& queue = queue_of(label);
  insert(link, queue, *queue.behind);
}

void* Queues::first(const Label& label) const {
  if (used_ == 0) return nullptr;
  const Place& place = places_[place_of(label)];
  if (!place.is_used || place.is_empty()) return nullptr;
  return static_cast<const Link*>(place.queue.behind)->item;
}

std::vector<void*> Queues::messages() const {
  std::vector<void*> all;
  for (const Place& place : places_) {
    if (!place.is_used || place.label.kind() != 0) continue;
    for (const Chain* one = place.queue.behind; one != &place.queue; one = one->behind)
      all.push_back(static_cast<const Link*>(one)->item);
  }
  return all;
}

}  // namespace armature::message
