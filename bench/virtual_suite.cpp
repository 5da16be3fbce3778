#include <string>

#include "bench/globals_rows.hpp"
#include "bench/suite.hpp"

// `armature bench virtual`: ranks that are fibers.

namespace armature::bench {

namespace {

constexpr Aim aims[] = {
    {.op = "yield", .bytes = 0, .ns_max = 20},
    {.op = "rpc", .bytes = 0, .ns_max = 150},
    {.op = "rpc.oneway", .bytes = 8, .ns_max = 60},
    {.op = "hotspot.balanced", .bytes = 0, .ratio_max = 1 / 0.9},
    {.op = "hotspot.nodes", .bytes = 0, .ratio_max = 1 / 0.9},
    {.op = "migrate.nodes", .bytes = 64 << 20, .ratio_max = 1 / 0.7},
    {.op = "migrate.nodes.first", .bytes = 64 << 20, .ratio_max = 1 / 0.7},
    {.op = "checkpoint", .bytes = 256 << 20, .ratio_max = 1 / 0.7},
    {.op = "restart", .bytes = 256 << 20, .ratio_max = 1 / 0.7},
    {.op = "recovery", .bytes = 128 << 20, .ns_max = 1e9},
    {.op = "lu", .bytes = 0, .ratio_max = 1.03},
    {.op = "mg", .bytes = 0, .ratio_max = 1.03},
    {.op = "jacobi", .bytes = 0, .ratio_max = 1.03},
    {.op = "lu.far8", .bytes = 0, .ratio_max = 1},
    {.op = "lu.far16", .bytes = 0, .ratio_max = 1},
    {.op = "mg.far8", .bytes = 0, .ratio_max = 1},
    {.op = "mg.far16", .bytes = 0, .ratio_max = 1},
    {.op = "jacobi.far8", .bytes = 0, .ratio_max = 1},
    {.op = "jacobi.far16", .bytes = 0, .ratio_max = 1},
    {.op = "migrate", .bytes = 1 << 10, .ns_max = 5000},
    {.op = "migrate", .bytes = 1 << 30, .ns_max = 5000},
    {.op = "globals.copy", .bytes = 0, .ratio_max = 1.3, .ns_max = 30'000},
    {.op = "globals.copy", .bytes = 1 << 20, .ratio_max = 1.3, .ns_max = 30'000},
    {.op = "globals.switch", .bytes = 0, .ratio_max = 1.05},
    {.op = "globals.switch", .bytes = 256, .ratio_max = 1, .ns_max = 20},
    {.op = "globals.migrate", .bytes = 1 << 20, .ns_max = 5000},
    {.op = "globals.start.10000", .bytes = 0, .ns_max = 2e9},
};

void collect(Collector& collector) {
  if (collector.wants({"yield", "rpc", "rpc.oneway"}))
    collector.job({.ranks = 2, .virtual_processes = 1}, "virtual");
  for (const int ranks : {1000, 100000})
    if (collector.wants({"create." + std::to_string(ranks)}))
      collector.job({.ranks = ranks, .virtual_processes = 1}, "create");
  if (collector.wants({"checkpoint", "restart"}))
    collector.checkpoints({.ranks = 2, .virtual_processes = 2});
  if (collector.wants({"hotspot"})) collector.job({.ranks = 16, .virtual_processes = 2}, "hotspot");
  if (collector.wants({"hotspot.balanced"}))
    collector.job({.ranks = 16, .virtual_processes = 2, .balance = true}, "hotspot.balanced");
  if (collector.wants({"hotspot.nodes", "hotspot.nodes.move"}))
    collector.job({.ranks = 16, .virtual_processes = 4, .nodes = 2}, "nodes");
  if (collector.wants({"recovery"}))
    collector.job({.ranks = 4, .virtual_processes = 2, .recovers = true}, "recovery");
  if (collector.wants({"globals.copy", "globals.switch", "globals.migrate", "globals.start.10000"}))
    collector.take(globals_rows(collector.quick()));
  collector.examples();
  collector.examples_far_apart();
  if (collector.wants({"migrate"})) collector.job({.ranks = 2, .virtual_processes = 2}, "virtual");
  if (collector.wants({"migrate.nodes", "migrate.nodes.first"}))
    collector.job({.ranks = 2, .virtual_processes = 2, .nodes = 2}, "nodes");
}

constexpr const char* footer =
    R"(Rows (time in ns):
  yield              a rank of two on a thread makes room for the other one; limit: the bare switch
                     from one stack to another
  rpc                a question to the other rank of the thread: an empty method, there and back;
                     limit: two bare switches
  rpc.oneway         statements without a pause, executed: the time of 100,000 and their fence
  create.1000 create.100000   so many ranks in a process, until all have met; bytes: resident in the
                     process for each
  hotspot            a step of 16 ranks on two processes, of which 4 have 13 times as much to do
                     as the others, and every 15 steps other ones; limit: as much, evenly spread
  hotspot.balanced   the same with --balance
  hotspot.nodes hotspot.nodes.move  the same on two nodes of two processes each, after ranks have
                     gone where `rebalance` by the greedy strategy says; and what that takes
  checkpoint         so many bytes of a job, two processes: until all is on disk, in the current
                     folder; limit: writing plain files of as many bytes there, and fsync
  restart            the same: from the start of the command until all ranks go on; limit: reading
                     plain files of as many bytes, which the system still has in memory, into
                     memory that it gives for them
  recovery           two processes, 4 ranks that have so many bytes together: from a kill -9 of one
                     process until all ranks are back where the last copy in memory was made
  lu mg jacobi       what the examples of these names compute, on two virtual ranks, each in a
                     process of its own; limit: two processes. Where the examples lie beside the
                     command, in the folder examples
  lu.far1 lu.far8 lu.far16, mg and jacobi likewise
                     the same between two nodes, where every packet takes 0.5 ms longer, with so
                     many virtual ranks in each of the two processes; limit: two process ranks,
                     which have nothing to do while they wait
  migrate            a rank goes to another process, with so many bytes of heap
  migrate.nodes      a rank with so many bytes goes to another node, where it was not long before,
                     all quiescent meanwhile; limit: as many on a TCP connection between the
                     same two processes
  migrate.nodes.first  the same to where it has left nothing, into memory that the machine has
                     free (a hypervisor may have to give it first, which takes three times as long)
  globals.copy       what it adds to the start of a rank that it has a copy of the program, of so
                     many bytes with initial values, as time of the processor; limit: writing as
                     many fresh pages of a memory file. Where the programs lie beside the command,
                     in the folder bench
  globals.switch     from a rank to another, with so many bytes of thread-local variables; limit:
                     the same with shared globals
  globals.migrate    a rank that has a copy of that size goes to another process; limit: likewise
  globals.start.10000  start and end of so many ranks in two processes; limit: likewise

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

}  // namespace armature::bench
