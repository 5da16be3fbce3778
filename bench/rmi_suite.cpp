#include <string>

#include <fmt/format.h>

#include "bench/suite.hpp"

// `armature bench rmi`: remote calls beside what the machine allows for words in shared memory.

namespace armature::bench {

namespace {

constexpr Aim aims[] = {
    {.op = "rpc", .bytes = 0, .ratio_max = 1.5},
    {.op = "rpc.oneway", .bytes = 8, .ratio_max = 1.5},
    {.op = "rpc.alternate", .bytes = 8, .ratio_max = 1.05},  // as long as its parts, but for noise
    {.op = "rpc.threads", .bytes = 0, .than = "rpc"},
    {.op = "rpc.oneway.threads", .bytes = 8, .than = "rpc.oneway"},
    {.op = "rpc.concurrent", .bytes = 0, .ratio_max = 1 / 1.8},
    {.op = "rpc.p8", .bytes = 0, .ns_max = 10'000},
    {.op = "fence.p2", .bytes = 0, .ratio_max = 3},
    {.op = "fence.p8", .bytes = 0, .ns_max = 25'000},
    {.op = "histogram.rpc", .bytes = 8, .ratio_max = 1.8},
    {.op = "gups.rpc", .bytes = 8, .ratio_max = 1.8},
    {.op = "index_gather.rpc", .bytes = 8, .ns_max = 10},
};

void collect(Collector& collector) {
  collector.job({.ranks = 2}, "rmi");
  if (collector.wants({"rpc.threads", "rpc.pingpong.threads", "rpc.bytes.threads",
                       "rpc.oneway.threads", "rpc.alternate.threads", "fence.p2.threads"}))
    collector.job({.ranks = 2, .threads = 2}, "rmi");
  if (collector.wants({"rpc.concurrent"}))
    collector.job({.ranks = 2, .method_threads = 2}, "concurrent");
  if (collector.wants({"rpc.p8", "fence.p8"})) collector.job({.ranks = 8}, "rmi");
}

/// The rows that are about elements of tables, as rates.
std::string rates(const std::vector<Row>& rows) {
  constexpr double ranks = 2;
  std::string text;
  for (const Row& row : rows) {
    const bool is_rate = row.op.starts_with("histogram.") || row.op.starts_with("index_gather.") ||
                         row.op.starts_with("gups.");
    if (!is_rate) continue;
    if (text.empty()) text = "\nM elements/s of both ranks\n";
    text += fmt::format("{:<24}{:>8.1f}   by hand {:>8.1f}\n", row.op, ranks * 1e3 / row.ns,
                        ranks * 1e3 / row.limit_ns.value_or(row.ns));
  }
  return text;
}

constexpr const char* footer =
    R"(Rows (time in ns of one call of rank 0 to rank 1, each on a core of its own, which waits):
  rpc                a question: an empty method, there and back; .bytes: with so long an argument
  rpc.pingpong       the same by two statements, one each way
  rpc.oneway         statements without a pause, executed: the time of 100,000 and their fence;
                     .agg1 .. .agg2048: that many travel together (else adaptive)
  rpc.alternate      a statement and a question in turns; limit: as many of each by themselves
  rpc.self           a statement to oneself, executed; limit: a direct call, as for
  call.member        a call through a pointer to member, and
  call.virtual       a virtual call
  fence.p2 fence.p8  rmi_fence with nothing on the way, of that many ranks
  rpc.concurrent     statements of methods that compute for 10 us and are declared as concurrent,
                     with --service-threads 2; limit: as many that run one at a time
  X.threads          both ranks threads of one process
  rpc.p8             a question when 8 ranks share the cores
  histogram index_gather gups
                     an access to a random word of a table spread over both ranks, both at it:
                     one-sided (.add .get .get_put .xor), by batches (.rpc), and by a call for
                     each (.rpc.each, .rpc.agg256); also as
                     elements per second. Results are verified: of gups.get_put, whose updates
                     race, less than 1 % may be lost; of the others none.

The limits: a word there and a word back on cache lines of their own; a ring of cache lines, one for
each word; a counter on which ranks spin, or yield when they are more than cores; loops over plain
pointers. Measured by the same processes in turns with the operation. aim_ns: what Armature aims at.

Examples:
  armature bench rmi
  armature bench rmi --quick --only rpc.oneway
  armature bench rmi --repeat 3 --json rmi.json --peers peers.tsv)";

}  // namespace

const Suite rmi_suite = {.name = "rmi",
                         .title = "Remote calls against the limit of the machine",
                         .footer = footer,
                         .collect = collect,
                         .aims = aims,
                         .notes = rates};

}  // namespace armature::bench
