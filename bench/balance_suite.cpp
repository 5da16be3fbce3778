#include <string_view>

#include "bench/balanced_examples.hpp"
#include "bench/suite.hpp"

// `armature bench balance`: what load balancing reaches.

namespace armature::bench {

namespace {

constexpr Aim aims[] = {
    {.op = "foreign.stealing", .bytes = 0, .ratio_max = 1.15},
    {.op = "foreign.rebalanced", .bytes = 0, .ratio_max = 1.15},
    {.op = "stencil.after", .bytes = 0, .ratio_max = 1.2},
    {.op = "distributed", .bytes = 0, .ratio_max = 1.1},
    {.op = "distributed.known", .bytes = 0, .ratio_max = 1},
};

void collect(Collector& collector) {
  if (collector.wants({"argon.before", "argon.after", "particles.before", "particles.after",
                       "tree_search.before", "tree_search.after", "hotspot.before",
                       "hotspot.after"}))
    collector.take(balanced_examples_rows());
  for (const char* const op : {"foreign", "foreign.stealing", "foreign.rebalanced"})
    if (collector.wants({op}))
      collector.job({.ranks = 32,
                     .virtual_processes = 2,
                     .balance = std::string_view(op) == "foreign.stealing"},
                    op);
  if (collector.wants({"stencil.before", "stencil.after"}))
    collector.job({.ranks = 64, .virtual_processes = 2, .nodes = 2, .links = true}, "stencil");
  if (collector.wants({"distributed", "distributed.known"}))
    collector.job({.ranks = collector.quick() ? 256 : 4096, .virtual_processes = 1}, "exchange");
}

constexpr const char* footer =
    R"(Rows; the ratio is what counts:
  argon particles tree_search   the examples of these names on four ranks, .before without and .after
                     with the strategy `chosen`: the time of the member that computes most in a
                     step, summed; limit: if all had computed as much. So the ratio is the imbalance
  hotspot            that example, 32 virtual ranks on two processes: all its time, .before and
                     .after with --balance
  foreign            a step of 32 virtual ranks on two processes, all with as much to do, while
                     another program computes on one of their two processors; limit: what they
                     computed, divided by one and a half processors
  foreign.stealing foreign.rebalanced   the same with --balance, and where the program calls
                     `rebalance` after every 5 steps
  stencil.before stencil.after   bytes between two nodes in a step of puts among 64 virtual ranks
                     on a grid, before and after `rebalance` by the strategy communication has seen
                     20 steps; limit: the best of 20 partitions of the whole graph by Scotch
  distributed        4,096 virtual ranks exchange the loads of eight elements each by messages: the
                     most that a rank has then; limit: by a strategy that knows all loads
  distributed.known  of how many others a rank knew the load, at most; limit: the bound, which
                     grows as the logarithm of the number of ranks

Rows of examples are there where the examples lie beside the command, in the folder examples.

Examples:
  armature bench balance
  armature bench balance --only foreign --repeat 5
  armature bench balance --quick --json balance.json)";

}  // namespace

const Suite balance_suite = {.name = "balance",
                             .title = "What load balancing reaches",
                             .footer = footer,
                             .collect = collect,
                             .aims = aims,
                             .notes = nullptr};

}  // namespace armature::bench
