#include "space/allocations.hpp"

#include <sched.h>

#include <bit>
#include <chrono>

namespace armature::space {

namespace {
struct Words {
  std::uint64_t begin, bytes_and_kind;
};

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

// Relaxed throughout: the sequence number orders them.
Allocation Allocations::at(std::size_t i) const {
  return std::bit_cast<Allocation>(Words{list_[i].begin.load(std::memory_order_relaxed),
                                         list_[i].bytes_and_kind.load(std::memory_order_relaxed)});
}

void Allocations::set(std::size_t i, const Allocation& allocation) {
  const auto words = std::bit_cast<Words>(allocation);
  list_[i].begin.store(words.begin, std::memory_order_relaxed);
  list_[i].bytes_and_kind.store(words.bytes_and_kind, std::memory_order_relaxed);
}

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

// Odd while the list changes; one writer, so nobody else changes the number. The fence keeps the
// changes behind the odd number; the release of the even one keeps them before it.
void Allocations::open() {
  sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}
void Allocations::close() {
  sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

bool Allocations::is_gap(std::size_t i) const {
  return at(i).kind == static_cast<std::uint64_t>(Allocation::Kind::gap);
}

/// While it is open.
void Allocations::close_gaps() {
  std::size_t kept = 0;
  const std::size_t n = used();
  for (std::size_t i = 0; i < n; ++i)
    if (!is_gap(i)) set(kept++, at(i));
  used_.store(kept, std::memory_order_relaxed);
  gaps_.store(0, std::memory_order_relaxed);
}

bool Allocations::add(const Allocation& allocation) {
  if (count() == count_max) return false;
  const std::size_t n = used();
  const std::size_t place = lower_bound(allocation.begin, n);
  // Up to the next gap, or the end, all move by one.
  std::size_t last = place;
  while (last < n && !is_gap(last)) ++last;
  open();
  if (last == count_max) {
    close_gaps();
    close();
    return add(allocation);
  }
  for (std::size_t i = last; i > place; --i) set(i, at(i - 1));
  set(place, allocation);
  if (last < n)
    gaps_.store(gaps_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  else
    used_.store(n + 1, std::memory_order_relaxed);
  close();
  return true;
}

// By words: a processor waits for bits of a word that are written and read again as a whole.
std::optional<Allocation> Allocations::remove(std::uint64_t begin, Allocation::Kind kind) {
  constexpr auto gap = static_cast<std::uint64_t>(Allocation::Kind::gap);
  constexpr unsigned kind_bits = 62;
  const std::size_t n = used();
  const std::size_t place = lower_bound(begin, n);
  if (place == n) return std::nullopt;
  Entry& entry = list_[place];
  const std::uint64_t word = entry.bytes_and_kind.load(std::memory_order_relaxed);
  const bool is_right =
      kind == Allocation::Kind::gap || word >> kind_bits == static_cast<std::uint64_t>(kind);
  if (entry.begin.load(std::memory_order_relaxed) != begin || word >> kind_bits == gap || !is_right)
    return std::nullopt;
  open();
  entry.bytes_and_kind.store(word | gap << kind_bits, std::memory_order_relaxed);
  const std::uint64_t gaps = gaps_.load(std::memory_order_relaxed) + 1;
  gaps_.store(gaps, std::memory_order_relaxed);
  if (gaps > n / 8) close_gaps();
  close();
  return std::bit_cast<Allocation>(Words{begin, word});
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
