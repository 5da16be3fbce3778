#include "bench/suite.hpp"

// `armature bench tasks`: task graphs, modules, algorithms and calls of elements, on two ranks.

namespace armature::bench {

namespace {

void collect(Collector& collector) {
  if (collector.wants({"empty", "metg_trivial", "metg_stencil", "metg_fft", "metg_tree",
                       "metg_random", "metg_spread", "cholesky", "smith_waterman", "stealing",
                       "sort"}))
    collector.job({.ranks = 2, .nodes = 1}, "tasks");
  collector.job({.ranks = 2}, "rmi", {"histogram.rpc", "gups.rpc", "index_gather.rpc"});
  collector.words();
  collector.modules_far_apart();
}

constexpr const char* footer =
    R"(Rows (time in ns), for a job of 2 processes (.p2):
  empty              a task that reads and writes nothing, of many: spawned and executed
  metg_PATTERN       the smallest time per task of which half is the task's own work (METG of Task
                     Bench), in graphs of 64 steps of 8 tasks. PATTERN says which tasks of the step
                     before one reads: trivial (none), stencil, fft, tree, random, spread
  cholesky           factors of a matrix of 1280 x 1280 in tiles of 64; limit: by one rank, while the
                     other waits
  smith_waterman     two sequences of 3,072 letters aligned in tiles of 128; limit: by one rank
  stealing           400 equal tasks that are all rank 0's, which the other steals; limit: by one rank
  sort               10 million doubles; limit: std::sort by one rank
  histogram.rpc gups.rpc index_gather.rpc
                     elements of tables by remote calls in batches, as in `armature bench rmi`
  words              the words of a text that examples/word_count counts, with the job's start;
                     limit: sort | uniq -c
  modules.together   modules B and C of examples/modules on ranks of two nodes, where every packet
                     takes 0.5 ms longer; limit: the longer one alone
  modules.after      one after the other; limit: the longer one alone

Examples:
  armature bench tasks
  armature bench tasks --only metg_stencil cholesky)";

constexpr Aim aims[] = {{.op = "empty.p2", .ns_max = 1000},
                        {.op = "metg_trivial.p2", .ns_max = 5000},
                        {.op = "metg_stencil.p2", .ns_max = 5000},
                        {.op = "metg_fft.p2", .ns_max = 5000},
                        {.op = "metg_tree.p2", .ns_max = 5000},
                        {.op = "metg_random.p2", .ns_max = 5000},
                        {.op = "metg_spread.p2", .ns_max = 5000},
                        {.op = "cholesky.p2", .ratio_max = 0.59},
                        {.op = "smith_waterman.p2", .ratio_max = 0.59},
                        {.op = "stealing.p2", .ratio_max = 0.59},
                        {.op = "sort.p2", .bytes = 80'000'000, .ratio_max = 0.588},
                        {.op = "histogram.rpc", .bytes = 8, .ratio_max = 1.8},
                        {.op = "gups.rpc", .bytes = 8, .ratio_max = 1.8},
                        {.op = "index_gather.rpc", .bytes = 8, .ns_max = 10},
                        {.op = "words.p2", .bytes = std::size_t{100} << 20, .ratio_max = 1},
                        {.op = "modules.together", .ratio_max = 1.15}};

}  // namespace

const Suite tasks_suite = {
    .name = "tasks",
    .title = "Task graphs, modules, a sort and calls of elements on two ranks",
    .footer = footer,
    .collect = collect,
    .aims = aims,
    .notes = nullptr};

}  // namespace armature::bench
