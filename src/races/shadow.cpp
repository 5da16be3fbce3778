#include "races/shadow.hpp"

#include <algorithm>
#include <bit>

namespace armature::races {
namespace {

constexpr std::uint64_t word_bytes = 8;

bool overlap(const Entry& entry, std::uint64_t begin, std::uint64_t end) {
  return entry.kind != Kind::none && entry.begin < end && begin < entry.end;
}

bool is_word(const Entry& entry) { return entry.end - entry.begin <= word_bytes; }

/// The level whose buckets hold accesses of that length.
std::size_t level_of(std::uint64_t bytes) {
  std::size_t level = 0;
  while (level + 1 < Region::buckets.size() && bytes >> Region::granule_bits[level] > 16) ++level;
  return level;
}

}  // namespace

bool is_aligned_word(const Entry& access) {
  const std::uint64_t bytes = access.end - access.begin;
  return is_word(access) && std::has_single_bit(bytes) && access.begin % bytes == 0;
}

bool conflict(const Entry& a, const Entry& b, bool is_strict) {
  if (a.kind == Kind::order || b.kind == Kind::order) return false;
  if (a.kind == Kind::read && b.kind == Kind::read) return false;
  if (a.kind == Kind::atomic && b.kind == Kind::atomic) return false;
  // A word that is read is never seen half changed.
  if (a.kind == Kind::atomic && b.kind == Kind::read) return !is_word(b);
  if (b.kind == Kind::atomic && a.kind == Kind::read) return !is_word(a);
  const bool are_put_and_get = a.kind == Kind::read || b.kind == Kind::read;
  return is_strict || !are_put_and_get || !is_aligned_word(a) || !is_aligned_word(b);
}

template <class Do>
void Shadow::each_bucket(std::size_t level, std::uint64_t begin, std::uint64_t end, Do&& act) {
  const int bits = Region::granule_bits[level];
  const std::uint64_t first = begin >> bits, last = (end - 1) >> bits;
  if (last - first >= Region::buckets[level]) {
    // Then each is looked at once, by whatever granule it is found.
    for (std::uint64_t i = 0; i < Region::buckets[level]; ++i)
      if (!act(region_.bucket_at(level, i))) return;
    return;
  }
  for (std::uint64_t granule = first; granule <= last; ++granule)
    if (!act(region_.bucket(level, granule))) return;
}

std::optional<Shadow::Conflict> Shadow::conflict(const Entry& access) {
  std::optional<Conflict> found;
  for (std::size_t level = 0; level < Region::buckets.size() && !found; ++level)
    each_bucket(level, access.begin, access.end, [&](const Bucket& bucket) {
      for (const Entry& entry : bucket.entries) {
        if (!overlap(entry, access.begin, access.end) ||
            !races::conflict(entry, access, region_.is_strict != 0))
          continue;
        const Clocks::Order order = clocks_.order(access.rank, entry);
        if (order == Clocks::Order::before) continue;
        found = {entry, order};
        return false;
      }
      return true;
    });
  return found;
}

void Shadow::add(const Entry& access) {
  const std::size_t level = level_of(access.end - access.begin);
  each_bucket(level, access.begin, access.end, [&](Bucket& bucket) {
    Entry* place = nullptr;
    for (Entry& entry : bucket.entries) {
      const bool is_covered = entry.rank == access.rank && entry.kind == access.kind &&
                              entry.is_later == access.is_later && access.begin <= entry.begin &&
                              entry.end <= access.end;
      if (entry.kind == Kind::none || is_covered) {
        place = &entry;
        break;
      }
    }
    if (place == nullptr) {
      place = &*std::ranges::min_element(bucket.entries, {}, &Entry::sequence);
      if (place->kind != Kind::read) bucket.forgotten = 1;
    }
    *place = access;
    return true;
  });
}

/// A put that the rank is behind already tells nothing new.
bool Shadow::tells(int rank, const Entry& entry, By by) {
  if (by == By::all) return entry.kind != Kind::read;
  if (entry.kind == Kind::atomic) return true;
  return by == By::atomics_and_words && entry.kind == Kind::write && is_aligned_word(entry) &&
         clocks_.order(rank, entry) != Clocks::Order::before;
}

void Shadow::hear_of_word(int rank, std::uint64_t begin, std::uint64_t end, By by) {
  for (std::size_t level = 0; level < Region::buckets.size(); ++level)
    each_bucket(level, begin, end, [&](Bucket& bucket) {
      if (bucket.forgotten != 0) clocks_.hear_from_all(rank);
      for (Entry& entry : bucket.entries) {
        if (!overlap(entry, begin, end) || !tells(rank, entry, by)) continue;
        clocks_.hear_of(rank, entry);
        // A word that another rank has seen is there: it needs no fence any more.
        if (is_word(entry) && entry.rank != rank) entry.put = 0;
      }
      return true;
    });
}

}  // namespace armature::races
