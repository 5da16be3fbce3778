#include <string>

#include "bench/suite.hpp"

// `armature bench virtual`: ranks that are fibers.

namespace armature::tools::bench {

namespace {

constexpr Aim aims[] = {
    {.op = "yield", .bytes = 0, .ns_max = 20},
    {.op = "rpc", .bytes = 0, .ns_max = 150},
    {.op = "rpc.oneway", .bytes = 8, .ns_max = 60},
    {.op = "migrate", .bytes = 1 << 10, .ns_max = 5000},
    {.op = "migrate", .bytes = 1 << 30, .ns_max = 5000},
};

void collect(Collector& collector) {
  if (collector.wants({"yield", "rpc", "rpc.oneway"}))
    collector.job({.ranks = 2, .virtual_processes = 1}, "virtual");
  for (const int ranks : {1000, 5000})
    if (collector.wants({"create." + std::to_string(ranks)}))
      collector.job({.ranks = ranks, .virtual_processes = 1}, "create");
  if (collector.wants({"migrate"})) collector.job({.ranks = 2, .virtual_processes = 2}, "virtual");
}

constexpr const char* footer =
    R"(Rows (time in ns):
  yield              a rank of two on a thread makes room for the other one; limit: the bare switch
                     from one stack to another
  rpc                a question to the other rank of the thread: an empty method, there and back;
                     limit: two bare switches
  rpc.oneway         statements without a pause, executed: the time of 100,000 and their fence
  create.1000 create.5000   so many ranks in a process, until all have met; bytes: resident in the
                     process for each
  migrate            a rank goes to another process, with so many bytes of heap

Examples:
  armature bench virtual
  armature bench virtual --quick --only yield
  armature bench virtual --repeat 3 --json virtual.json)";

}  // namespace

const Suite virtual_suite = {.name = "virtual",
                             .title = "Virtual ranks against the limit of the machine",
                             .footer = footer,
                             .collect = collect,
                             .aims = aims,
                             .notes = nullptr};

}  // namespace armature::tools::bench
