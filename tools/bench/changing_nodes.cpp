// Virtual ranks that go to other nodes, with everybody's help.
#include <algorithm>
#include <cstddef>
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

namespace armature::tools::bench {
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

/// What a rank has left where it was before is given back from a second later on.
void wait_until_given_back() {
  const double begun_ns = now_ns();
  while (now_ns() < begun_ns + 2e9) yield();
}

}  // namespace

void migrate_between_nodes_rows(World& world, const Settings& settings) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const bool goes = world.rank() == 0;
  const Wire wire(world);
  std::vector<std::byte> heap(bytes, std::byte{1});
  keep(heap);
  const ProcessId home = process_of(world.rank()), away = process_of(1);
  const auto move_ns = [&](ProcessId to) {
    return together_ns(world, [&] { migrate_together(to); });
  };
  const auto stream_ns = [&] {
    return together_ns(world, [&] {
      goes ? wire.give(heap.data(), bytes) : wire.take(heap.data(), bytes);
      goes ? wire.take(heap.data(), bytes) : wire.give(heap.data(), bytes);
    });
  };
  /// There and back: rank 0 is where its file is, to which rows are written.
  const auto row = [&](const char* op, int times, const auto& between) {
    if (!wanted(settings.only, op)) return;
    std::vector<double> ns, limit_ns;
    for (int i = std::min(settings.effort.batches, times); i > 0; --i) {
      double both_ns = 0;
      for (const ProcessId to : {away, home}) {
        between();
        both_ns += move_ns(to);
      }
      ns.push_back(both_ns / 2);
      limit_ns.push_back(stream_ns() / 2);
    }
    if (goes)
      settings.report({.op = op,
                       .bytes = bytes,
                       .ns = median(std::move(ns)),
                       .limit_ns = median(std::move(limit_ns))});
  };
  row("migrate.nodes.first", 5, wait_until_given_back);
  row("migrate.nodes", 15, [] {});
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
  std::optional<StaysHere> stays;
  if (rank == 0) stays.emplace();  // where its file is, to which rows are written
  (void)rebalance(world, {.log = false});
  const int places = std::min(settings.effort.batches, 16);
  for (int place = 0; place < places; ++place) {
    const bool hot = HotSpot::is_hot(rank, ranks, place);
    const std::uint64_t units = hot ? HotSpot::units_hot : HotSpot::units_cold;
    (void)rebalance(world, {.strategy = balance::none, .log = false});  // begins anew to measure
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

}  // namespace armature::tools::bench
