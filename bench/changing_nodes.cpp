// Virtual ranks that go to other nodes, with everybody's help.
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rebalance.hpp>
#include <armature/virtual.hpp>

#include "bench/hotspot.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"
#include "bench/wire.hpp"

namespace armature::bench {
namespace {

/// How long all take.
template <class F>
double together_ns(World& world, F&& f) {
  world.barrier();
  const double begun_ns = now_ns();
  f();
  world.barrier();
  return now_ns() - begun_ns;
}

/// Makes so much free memory the machine's: a hypervisor may have taken what is free for long, and
/// give it back only when it is touched.
void touch_free_memory(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 1, bytes);
  munmap(memory, bytes);
}

/// Rank 0 goes to another node and comes back, with so many bytes.
class Trips {
 public:
  static constexpr std::size_t bytes = std::size_t{64} << 20;
  static constexpr int places_max = 16;

  Trips(World& world, const Wire& wire) : world_(world), wire_(wire) {}
  /// Begins where no pages were before: no other node has pages for them.
  void begin_elsewhere() {
    if (place_ != nullptr) madvise(place_, bytes, MADV_REMOVE);
    place_ = place_ == nullptr ? memory_.get() : place_ + bytes;
    std::memset(place_, 1, bytes);
    keep(*place_);
  }

  double there_ns() { return move_ns(away_); }
  double back_ns() { return move_ns(home_); }
  /// Streams as many bytes on a plain connection.
  double stream_ns() {
    const double both_ns = together_ns(world_, [&] {
      goes() ? wire_.give(place_, bytes) : wire_.take(place_, bytes);
      goes() ? wire_.take(place_, bytes) : wire_.give(place_, bytes);
    });
    return both_ns / 2;
  }
  [[nodiscard]] bool goes() const { return world_.rank() == 0; }

 private:
  struct Deleter {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  double move_ns(ProcessId to) {
    return together_ns(world_, [&] { migrate_together(to); });
  }

  World& world_;
  const Wire& wire_;
  const std::unique_ptr<std::byte, Deleter> memory_{
      static_cast<std::byte*>(std::aligned_alloc(4096, places_max* bytes))};
  std::byte* place_ = nullptr;  // in it
  const ProcessId home_ = process_of(world_.rank()), away_ = process_of(1);
};

}  // namespace

void migrate_between_nodes_rows(World& world, const Settings& settings) {
  const Wire wire(world);
  Trips trips(world, wire);
  const auto row = [&](const char* op, int times, const auto& move_ns) {
    if (!wanted(settings.only, op)) return;
    std::vector<double> ns, limit_ns;
    for (int i = std::min(settings.effort.batches, times); i > 0; --i) {
      ns.push_back(move_ns());
      limit_ns.push_back(trips.stream_ns());
    }
    if (trips.goes())  // its file is where it is now, to which rows are written
      settings.report({.op = op,
                       .bytes = Trips::bytes,
                       .ns = median(std::move(ns)),
                       .limit_ns = median(std::move(limit_ns))});
  };
  row("migrate.nodes.first", Trips::places_max - 1, [&] {
    trips.begin_elsewhere();
    touch_free_memory(2 * Trips::bytes);
    const double ns = trips.there_ns();
    (void)trips.back_ns();
    return ns;
  });
  trips.begin_elsewhere();
  row("migrate.nodes", 15, [&] { return (trips.there_ns() + trips.back_ns()) / 2; });
}

void balanced_hotspot_rows(World& world, const Settings& settings) {
  const int rank = world.rank(), ranks = world.size();
  const auto step_ns = [&](std::uint64_t units) {
    const double ns = together_ns(world, [&] {
      for (int step = 0; step < HotSpot::steps_at_a_place; ++step) {
        HotSpot::compute(units);
        world.barrier();
      }
    });
    return ns / HotSpot::steps_at_a_place;
  };
  std::vector<double> ns, limit_ns, rebalance_ns;
  std::optional<Pinned> stays;
  if (rank == 0) stays.emplace();  // where its file is, to which rows are written
  (void)rebalance(world, {.log = false});
  const int places = std::min(settings.effort.batches, 16);
  for (int place = 0; place < places; ++place) {
    const bool hot = HotSpot::is_hot(rank, ranks, place);
    const std::uint64_t units = hot ? HotSpot::units_hot : HotSpot::units_cold;
    (void)rebalance(world, {.strategy = balance::none, .log = false});  // starts again to measure
    (void)step_ns(units);
    rebalance_ns.push_back(together_ns(
        world, [&] { (void)rebalance(world, {.strategy = balance::greedy, .log = false}); }));
    ns.push_back(step_ns(units));
    limit_ns.push_back(step_ns(HotSpot::units_even));
  }
  if (rank != 0) return;
  settings.report({.op = "hotspot.nodes",
                   .bytes = 0,
                   .ns = median(std::move(ns)),
                   .limit_ns = median(std::move(limit_ns))});
  settings.report({.op = "hotspot.nodes.move",
                   .bytes = 0,
                   .ns = median(std::move(rebalance_ns)),
                   .limit_ns = {}});
}

}  // namespace armature::bench
