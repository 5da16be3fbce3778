#include "bench/suite.hpp"

// `armature bench collectives`: every collective call among few ranks and among more than there are
// cores.

namespace armature::bench {

namespace {

void collect(Collector& collector) {
  if (!collector.wants({"barrier", "broadcast", "reduce", "allreduce", "scan", "scatter", "gather",
                        "allgather", "alltoall"}))
    return;
  constexpr int quick_max = 8;
  for (const int ranks : {2, 8, 64})
    if (ranks >= collector.nodes() && (!collector.quick() || ranks <= quick_max))
      collector.job({.ranks = ranks, .nodes = collector.nodes()}, "collectives");
}

constexpr const char* footer =
    R"(Rows (time in ns of one call that all ranks make), for jobs of 2, 8 and 64 processes (.p2 .p8 .p64):
  barrier            all wait for all
  broadcast reduce allreduce scan    bytes: of the data of a rank; the operator is the maximum of
                     doubles
  scatter gather allgather alltoall  bytes: of the longer buffer of a rank, which has 8 bytes at
                     least for each rank

The data are in private memory, as those of a program that comes from MPI. A number of calls is
timed from a barrier to a barrier; the middle one of several times counts. MPI libraries are
measured alike by bench/peers/collectives.c, whose lines --peers takes.

Examples:
  armature bench collectives
  armature bench collectives --only allreduce --nodes 2
  armature bench collectives --peers peers.tsv)";

}  // namespace

const Suite collectives_suite = {
    .name = "collectives",
    .title = "Collective calls among few and many ranks",
    .footer = footer,
    .collect = collect,
    .aims = {},
    .notes = nullptr,
    .nodes = {.min = 1, .max = 8, .what = "Run the jobs as on so many nodes"}};

}  // namespace armature::bench
