#include "space/allocations.hpp"

#include <sched.h>

#include <chrono>

namespace armature::space {

namespace {
/// For who found a list in change, whose owner may have lost its core in the middle.
class Patience {
 public:
  /// False when it is over: the owner has died.
  bool goes_on() {
    if (++tries_ % tries_before_yield != 0) return true;
    sched_yield();
    return std::chrono::steady_clock::now() - since_ < limit;
  }

 private:
  static constexpr int tries_before_yield = 1000;
  static constexpr std::chrono::seconds limit{2};
  int tries_ = 0;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};
}  // namespace

std::size_t Allocations::lower_bound(std::uint64_t begin, std::size_t count) const {
  std::size_t low = 0;
  while (count > 0) {
    const std::size_t half = count / 2;
    if (list_[low + half].begin.load(std::memory_order_relaxed) < begin) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}

/// While it changes.
void Allocations::close_gaps() noexcept {
  std::size_t kept = 0;
  const std::size_t n = used();
  for (std::size_t i = 0; i < n; ++i)
    if (const Words one = words_at(i); !one.is_gap()) set(kept++, one);
  used_.store(kept, std::memory_order_relaxed);
  gaps_.store(0, std::memory_order_relaxed);
}

/// The index of the entry that begins there, or the index at which such an entry would be inserted.
std::size_t Allocations::place_of(std::uint64_t begin) {
  std::uint32_t& known = places_[some_bits(begin)];
  const bool is_right =
      known < used() && list_[known].begin.load(std::memory_order_relaxed) == begin;
  if (!is_right) known = static_cast<std::uint32_t>(lower_bound(begin, used()));
  return known;
}

bool Allocations::add(const Allocation& allocation) {
  if (count() == count_max) return false;
  const std::size_t n = used();
  const std::size_t place = place_of(allocation.begin);
  // Up to the next gap, or the end, all move by one.
  std::size_t last = place;
  while (last < n && !is_gap(last)) ++last;
  if (last == count_max) {
    {
      const Change change(*this);
      close_gaps();
    }
    return add(allocation);
  }
  const Change change(*this);
  for (std::size_t i = last; i > place; --i) set(i, words_at(i - 1));
  set(place, words(allocation));
  if (last < n)
    gaps_.store(gaps() - 1, std::memory_order_relaxed);
  else
    used_.store(n + 1, std::memory_order_relaxed);
  return true;
}

std::optional<Allocation> Allocations::remove(std::uint64_t begin, Allocation::Kind kind) {
  const std::size_t place = place_of(begin);
  if (place == used()) return std::nullopt;
  const Words there = words_at(place);
  const bool is_right = kind == Allocation::Kind::gap
                            ? !there.is_gap()
                            : there.kind() == static_cast<std::uint64_t>(kind);
  if (there.begin != begin || !is_right) return std::nullopt;
  const auto removed = std::bit_cast<Allocation>(there);
  remove(Found{place, removed.bytes});
  return removed;
}

std::optional<Allocation> Allocations::nearest(std::uint64_t address) const {
  std::optional<Patience> patience;
  for (;;) {
    const std::uint64_t before = sequence_.load(std::memory_order_acquire);
    if (before % 2 != 0) {
      if (!patience) patience.emplace();
      if (!patience->goes_on()) return std::nullopt;
      continue;
    }
    const std::size_t n = used();
    if (n > count_max) return std::nullopt;
    const std::optional<Allocation> found = nearest_of(address, n);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (sequence_.load(std::memory_order_relaxed) == before) return found;
  }
}

std::vector<Allocation> Allocations::large_local(std::uint64_t bytes_min) const {
  Patience patience;
  do {
    std::vector<Allocation> found;
    const std::uint64_t before = sequence_.load(std::memory_order_acquire);
    const std::size_t n = used();
    for (std::size_t i = 0; before % 2 == 0 && n <= count_max && i < n; ++i)
      if (const Allocation one = at(i);
          one.bytes >= bytes_min && one.kind == static_cast<std::uint64_t>(Allocation::Kind::local))
        found.push_back(one);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && sequence_.load(std::memory_order_relaxed) == before) return found;
  } while (patience.goes_on());
  return {};
}

std::optional<Allocation> Allocations::nearest_of(std::uint64_t address, std::size_t n) const {
  std::size_t above = lower_bound(address + 1, n);  // first that begins after the address
  std::size_t after_below = above;
  while (after_below > 0 && is_gap(after_below - 1)) --after_below;
  std::optional<Allocation> found;
  if (after_below > 0) found = at(after_below - 1);
  if (found && address < found->begin + found->bytes) return found;
  while (above < n && is_gap(above)) ++above;
  if (above < n && (!found || at(above).begin - address < address - (found->begin + found->bytes)))
    found = at(above);
  return found;
}

}  // namespace armature::space
