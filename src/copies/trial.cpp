#include "copies/trial.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/clock.hpp"
#include "base/fail.hpp"

namespace armature::copies {

namespace {

constexpr std::size_t probe_bytes = std::size_t{64} << 10;
/// A way that takes that much longer than the best for the first bytes gets no others.
constexpr double hopeless = 1.5;

class Scratch {
 public:
  explicit Scratch(std::size_t bytes)
      : bytes_(bytes),
        start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (is_there()) munmap(start_, bytes_);
  }
  [[nodiscard]] bool is_there() const { return start_ != MAP_FAILED; }
  [[nodiscard]] std::byte* start() const { return static_cast<std::byte*>(start_); }

 private:
  std::size_t bytes_;
  void* start_;
};

/// Copies as long as those that the kind is about, a page or two.
std::size_t typical_bytes(Size size) {
  switch (size) {
    case Size::page:
      return 4096;
    case Size::pages:
      return probe_bytes;
    case Size::cached:
    case Size::past_cache:
      break;
  }
  return always_cached_max / 2;
}

double ns_of(Way way, void* to, const void* from, std::size_t bytes) {
  const std::uint64_t begin = base::now_of_machine_ns();
  candidate(way).copy(to, from, bytes);
  return static_cast<double>(base::now_of_machine_ns() - begin);
}

}  // namespace

Way best_of(bool past_cache, const Turns& turns, const Sample& sample) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::array<double, ways> best_ns;
  best_ns.fill(never);
  const Way usual = usual_way(past_cache);
  const auto is_in = [&](std::size_t i) {
    // Past the cache all ways are good, within it only those that leave the bytes there.
    return candidates[i].is_there() && (past_cache || !candidates[i].past_cache);
  };
  for (std::size_t i = 0; i < ways; ++i)
    if (is_in(i)) best_ns[i] = sample(static_cast<Way>(i), turns.probe);
  const double limit = hopeless * *std::ranges::min_element(best_ns);
  std::array<bool, ways> stays{};
  for (std::size_t i = 0; i < ways; ++i)
    stays[i] = is_in(i) && (best_ns[i] <= limit || static_cast<Way>(i) == usual);

  best_ns.fill(never);
  for (int round = 0; round < turns.rounds; ++round)
    for (std::size_t i = 0; i < ways; ++i)
      if (stays[i]) best_ns[i] = std::min(best_ns[i], sample(static_cast<Way>(i), turns.bytes));
  const auto best = std::ranges::min_element(best_ns);
  const double usual_ns = best_ns[static_cast<std::size_t>(usual)];
  return usual_ns < never && *best < usual_ns * (1 - turns.margin)
             ? static_cast<Way>(best - best_ns.begin())
             : usual;
}

Tried try_in_cache(Kind kind) {
  const std::size_t each = typical_bytes(kind.size);
  // The skew is not a multiple of any register's bytes.
  const std::size_t skew = kind.is_skewed ? 8 : 0;
  constexpr std::size_t page = 4096;
  Tried tried{.way = usual_way(false)};
  const Scratch scratch(2 * (each + page));
  if (!scratch.is_there()) return tried;
  std::byte* const from = scratch.start();
  std::byte* const to = from + each + page + skew;
  const std::uint64_t end = base::now_of_machine_ns() + trial_ns_max;
  const auto sample = [&](Way way, std::size_t bytes) {
    if (base::now_of_machine_ns() > end) return std::numeric_limits<double>::infinity();
    // Short ones many times: a look at the clock takes as long as one of them.
    const std::size_t once = std::min(each, bytes);
    const std::uint64_t begin = base::now_of_machine_ns();
    for (std::size_t done = 0; done < bytes; done += once) candidate(way).copy(to, from, once);
    tried.bytes += bytes;
    return static_cast<double>(base::now_of_machine_ns() - begin);
  };
  const Turns turns{.probe = probe_bytes,
                    .bytes = std::max(each, probe_bytes),
                    .rounds = kind.size == Size::cached ? 3 : 4,
                    .margin = 0.02};
  (void)sample(tried.way, probe_bytes);  // the first finds nothing in the caches
  // The sample is passed by reference: no transfer allocates, not even the first of its size.
  tried.way = best_of(false, turns, std::cref(sample));
  return tried;
}

Tried try_past_cache(void* to_start, const void* from_start, std::size_t bytes) {
  ARMATURE_ASSERT(bytes > always_cached_max);
  auto* to = static_cast<std::byte*>(to_start);
  const auto* from = static_cast<const std::byte*>(from_start);
  constexpr std::size_t page = 4096;
  constexpr int rounds = 3;
  // A part for each turn, and some over: a way is for more than 2 KiB.
  const std::size_t part = (bytes - ways * probe_bytes) / (rounds * ways + 1) / page * page;
  std::size_t done = 0;
  const auto sample = [&](Way way, std::size_t length) {
    const double ns = ns_of(way, to + done, from + done, length);
    done += length;
    return ns;
  };
  // Memory that is touched for the first time takes longer than its copy, by every way.
  const Turns turns{.probe = probe_bytes, .bytes = part, .rounds = rounds, .margin = 0.1};
  const Tried tried{.way = best_of(true, turns, std::cref(sample))};
  candidate(tried.way).copy(to + done, from + done, bytes - done);
  return tried;
}

}  // namespace armature::copies
