#include "bench/suite.hpp"

// `armature bench rma`: every one-sided operation beside what the machine allows.

namespace armature::bench {

namespace {

void collect(Collector& collector) {
  collector.job({.ranks = 2}, "rma");
  if (collector.wants({"allocate.local", "allocate.local.zeros"}))
    collector.job({.ranks = 2}, "local");
  if (collector.wants({"allocate.local.threads", "allocate.local.threads.zeros"}))
    collector.job({.ranks = 2, .threads = 2}, "local");
  if (collector.wants({"allocate.local.nodes", "allocate.local.nodes.zeros"}))
    collector.job({.ranks = 2, .nodes = 2}, "local");
  if (collector.wants({"barrier.p8", "allreduce8.p8", "broadcast.p8", "scatter.p8", "gather.p8",
                       "alltoall.p8"}))
    collector.job({.ranks = 8}, "rma");
  collector.startup(1, collector.quick() ? 3 : 15);
  collector.startup(64, collector.quick() ? 1 : 7);
  if (collector.wants({"rss"})) collector.job({.ranks = 2}, "rss");
  if (collector.wants({"rss.64"})) collector.job({.ranks = 64}, "rss");
}

constexpr const char* footer =
    R"(Rows (time in ns of one operation of rank 0 on memory of rank 1, each on a core of its own):
  put get            one blocking transfer; .value: a typed value; .skewed: the local buffer lies
                     16 bytes further into its page; put.fence: a put and its fence
  put.best get.best  one transfer beside the best way to copy that this processor has, of those
                     that the library chooses from; .skewed as above
  put.bw get.bw      a window of non-blocking ones, one wait; per transfer
  put.pingpong       a put each way, seen by reading one's own memory
  wait.value         a signal each way, both waited for; .asleep: one to rank 1, which has slept for
                     milliseconds. Limit: words and futexes
  put2d get2d        n x n doubles of a 1024-wide matrix
  gather             1000 doubles, every third, by a vector of addresses; .strided: as a subarray;
                     .aggregate: as requests of an aggregate handle
  acc                x += 2 * y on doubles
  fadd lock          fetch-and-add; lock and unlock
  allocate           memory that all allocate, touch on one page and free; .group: the members of
                     another team; .local: a rank alone, to overwrite; .threads: as one of two
                     threads, .nodes: of a job of two nodes; .zeros: filled with zeros. Limit:
                     malloc, or for zeros calloc
  put.threads2       processor time of a put of two threads of a rank, halved. Limit: of one thread
  nbput1000          1000 non-blocking 8-byte puts to different lines, one wait; per put
  barrier allreduce8 .p2 and .p8: among that many ranks
  broadcast scatter gather alltoall   .p2 and .p8; bytes: of the longer buffer of a rank, in global
                     memory; .private: outside it. Limit: gets of what each rank needs, between
                     barriers, from where private memory is copied first
  X.busy             X while the target computes and never calls the library
  X.contended        both ranks at it without pause
  start.1 start.64   `armature run` of a program that only joins the job; limit: bare processes
  rss rss.64         bytes: resident memory that joining a job of 2 or 64 ranks adds to a rank;
                     ns: the time that joining takes

The limit is the same done by hand on the same memory (memcpy, a loop, std::atomic, a pthread mutex,
a counter on which processes spin, or yield when they are more than cores; malloc for allocate),
measured by the same process in turns with the operation.

Examples:
  armature bench rma
  armature bench rma --quick --only acc --only lock.contended
  armature bench rma --repeat 3 --json rma.json --peers peers.tsv)";

constexpr std::size_t page = 4096, mebi = std::size_t{1} << 20;
constexpr double best_copy = 1.05;
constexpr Aim aims[] = {
    {.op = "put.best", .bytes = page, .ratio_max = best_copy},
    {.op = "put.best", .bytes = 16 * page, .ratio_max = best_copy},
    {.op = "put.best", .bytes = mebi, .ratio_max = best_copy},
    {.op = "put.best", .bytes = 16 * mebi, .ratio_max = best_copy},
    {.op = "get.best", .bytes = page, .ratio_max = best_copy},
    {.op = "get.best", .bytes = 16 * page, .ratio_max = best_copy},
    {.op = "get.best", .bytes = mebi, .ratio_max = best_copy},
    {.op = "get.best", .bytes = 16 * mebi, .ratio_max = best_copy},
    {.op = "put.best.skewed", .bytes = page, .ratio_max = best_copy},
    {.op = "put.best.skewed", .bytes = 16 * page, .ratio_max = best_copy},
    {.op = "put.best.skewed", .bytes = mebi, .ratio_max = best_copy},
    {.op = "put.best.skewed", .bytes = 16 * mebi, .ratio_max = best_copy},
    {.op = "get.best.skewed", .bytes = page, .ratio_max = best_copy},
    {.op = "get.best.skewed", .bytes = 16 * page, .ratio_max = best_copy},
    {.op = "get.best.skewed", .bytes = mebi, .ratio_max = best_copy},
    {.op = "get.best.skewed", .bytes = 16 * mebi, .ratio_max = best_copy},
    {.op = "put.threads2", .bytes = 8, .ratio_max = 1 / 1.8},
    {.op = "wait.value", .bytes = 8, .ratio_max = 1.5},
    {.op = "wait.value.asleep", .bytes = 8, .ratio_max = 1.5},
    {.op = "put2d", .bytes = 8, .ratio_max = 1.5},
    {.op = "get2d", .bytes = 8, .ratio_max = 1.5},
    {.op = "gather.aggregate", .bytes = 8000, .ratio_max = 3},
    {.op = "acc", .bytes = 8, .ratio_max = 2},
    {.op = "acc", .bytes = page, .ratio_max = 1.3},
};

}  // namespace

const Suite rma_suite = {.name = "rma",
                         .title = "One-sided operations against the limit of the machine",
                         .footer = footer,
                         .collect = collect,
                         .aims = aims,
                         .notes = nullptr};

}  // namespace armature::bench
