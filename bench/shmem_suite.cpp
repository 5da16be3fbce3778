#include "bench/shmem_program.hpp"
#include "bench/suite.hpp"

// `armature bench shmem`: OpenSHMEM through its C header, beside the same by hand.

namespace armature::bench {

namespace {

void collect(Collector& collector) { collector.take(shmem_rows(collector.quick())); }

constexpr const char* footer =
    R"(Rows (time in ns of one call of PE 0 to PE 1, through shmem.h; the shortest of many batches):
  put.value get.value   shmem_long_p and shmem_long_g
  put get               shmem_putmem and shmem_getmem
  fadd                  shmem_long_atomic_fetch_add
  nbput1000             1000 shmem_putmem_nbi of 8 bytes to different lines, one quiet; per put
  put_signal.pingpong   a value and its signal to PE 1 and back, both waited for
  barrier sync          shmem_barrier_all and shmem_sync_all
  sum_reduce broadcast collect fcollect   of two PEs; bytes: of a PE's source

The limit is the same by hand through shmem_ptr: stores, memcpy, an atomic, two words on which the
PEs spin. A call of a shared library takes a nanosecond or two before it has done anything.

Other libraries are measured alike by bench/shmem/shmem.c, whose lines --peers takes:
  oshcc -O2 bench/shmem/shmem.c -o shmem_bench && oshrun -n 2 ./shmem_bench openmpi > peers.tsv

Examples:
  armature bench shmem
  armature bench shmem --only fadd --only put --peers peers.tsv)";

constexpr Aim aims[] = {
    {.op = "put.value", .bytes = 8, .ns_max = 3},
    {.op = "get.value", .bytes = 8, .ns_max = 3},
    {.op = "put", .bytes = 8, .ns_max = 3},
    {.op = "get", .bytes = 8, .ns_max = 3},
    {.op = "fadd", .bytes = 8, .ratio_max = 1.2},
    {.op = "put_signal.pingpong", .bytes = 8, .ratio_max = 1.1},
};

}  // namespace

const Suite shmem_suite = {.name = "shmem",
                           .title = "OpenSHMEM between two PEs, through shmem.h",
                           .footer = footer,
                           .collect = collect,
                           .aims = aims,
                           .notes = nullptr};

}  // namespace armature::bench
