/* Operations of OpenSHMEM between two PEs of a node, through shmem.h alone: what `armature bench
 * shmem` measures, and other libraries in the same way. Prints lines that its option --peers takes,
 * of the library, and of the same by hand as "limit".
 *
 *   oshcc -O2 shmem.c -o shmem_bench
 *   oshrun -n 2 ./shmem_bench openmpi >> peers.tsv
 *
 * Of many short batches the shortest counts: other work on the machine only makes one longer. A
 * library of 1.4 has no routines of teams, and no put with a signal: their place is taken by what
 * it has for that. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SINCE(major, minor) (SHMEM_MAJOR_VERSION * 100 + SHMEM_MINOR_VERSION >= major * 100 + minor)

enum { MEBI = 1 << 20, LINES = 1000, LINE = 64 };

static int me, batches;
static const char* library;
static char *source, *target, *there; /* there: the other PE's target, for loads and stores */
static uint64_t *signal_word, *flags, *there_signal, *there_flags;
static uint64_t turn, hand_turn;
static long *word, *there_word, value;
static size_t length;
static volatile long sink;

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}
/* The compiler joins nothing over it. Below: loads and stores in order. */
static void hold(void) { __asm__ volatile("" ::: "memory"); }
static uint64_t seen(const uint64_t* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static void show(uint64_t* at, uint64_t what) { __atomic_store_n(at, what, __ATOMIC_RELEASE); }

/* A measurement: a call made so often. The loops lie in each, so that nothing but the call counts.
 */
#define MEASURED(name, call)          \
  static void name(int calls) {       \
    for (int i = 0; i < calls; ++i) { \
      call;                           \
      hold();                         \
    }                                 \
  }
MEASURED(put_value, shmem_long_p(word, i, 1))
MEASURED(put_value_by_hand, *(volatile long*)there_word = i)
MEASURED(put, shmem_putmem(target, source, length, 1))
MEASURED(put_by_hand, memcpy(there, source, length))
MEASURED(get, shmem_getmem(source, target, length, 1))
MEASURED(get_by_hand, memcpy(source, there, length))
static void get_value(int calls) {
  long all = 0;
  for (int i = 0; i < calls; ++i) all += shmem_long_g(word, 1);
  sink = all;
}
static void get_value_by_hand(int calls) {
  long all = 0;
  for (int i = 0; i < calls; ++i) all += *(volatile long*)there_word;
  sink = all;
}
static void fetch_add(int calls) {
  long all = 0;
  for (int i = 0; i < calls; ++i) all += shmem_long_atomic_fetch_add(word, 1, 1);
  sink = all;
}
static void fetch_add_by_hand(int calls) {
  long all = 0;
  for (int i = 0; i < calls; ++i) all += __atomic_fetch_add(there_word, 1, __ATOMIC_SEQ_CST);
  sink = all;
}

/* `calls` puts to different lines, and one wait for all. */
static void stream(int calls) {
  for (int i = 0; i < calls; ++i)
    shmem_putmem_nbi(target + i * LINE, source + i * LINE, sizeof(long), 1);
  shmem_quiet();
}
static void stream_by_hand(int calls) {
  for (int i = 0; i < calls; ++i)
    *(volatile long*)(there + i * LINE) = *(volatile long*)(source + i * LINE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void put_with_signal(uint64_t number) {
  value = (long)number;
#if SINCE(1, 5)
  shmem_long_put_signal(word, &value, 1, signal_word, number, SHMEM_SIGNAL_SET, 1 - me);
#else
  shmem_long_put(word, &value, 1, 1 - me);
  shmem_fence();
  shmem_long_p((long*)signal_word, (long)number, 1 - me);
#endif
}
static void wait_for_signal(uint64_t number) {
#if SINCE(1, 5)
  shmem_signal_wait_until(signal_word, SHMEM_CMP_EQ, number);
#else
  shmem_long_wait_until((long*)signal_word, SHMEM_CMP_EQ, (long)number);
#endif
}
/* A value and a signal go there, and come back. */
static void pingpong(int calls) {
  for (int i = 0; i < calls; ++i) {
    ++turn;
    if (me == 0) put_with_signal(turn);
    wait_for_signal(turn);
    if (me == 1) put_with_signal(turn);
  }
}
static void pingpong_by_hand(int calls) {
  for (int i = 0; i < calls; ++i) {
    ++turn;
    if (me == 0) *(volatile long*)there_word = (long)turn, show(there_signal, turn);
    while (seen(signal_word) != turn) continue;
    if (me == 1) *(volatile long*)there_word = (long)turn, show(there_signal, turn);
  }
}

MEASURED(barrier, shmem_barrier_all())
MEASURED(meet, shmem_sync_all())
static void meet_by_hand(int calls) {
  for (int i = 0; i < calls; ++i) {
    show(there_flags, ++hand_turn);
    while (seen(flags) < hand_turn) continue;
  }
}

#if SINCE(1, 5)
MEASURED(sum,
         shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double*)target, (double*)source, length / 8))
MEASURED(collect, shmem_collectmem(SHMEM_TEAM_WORLD, target, source, length))
MEASURED(fcollect, shmem_fcollectmem(SHMEM_TEAM_WORLD, target, source, length))
MEASURED(broadcast, shmem_broadcastmem(SHMEM_TEAM_WORLD, target, source, length, 0))
#else
/* The work arrays are free again when all have got there. */
static long sync_array[64];
static double work_array[MEBI / 8];
MEASURED(sum, (shmem_double_sum_to_all((double*)target, (double*)source, (int)(length / 8), 0, 0, 2,
                                       work_array, sync_array),
               shmem_sync_all()))
MEASURED(collect,
         (shmem_collect64(target, source, length / 8, 0, 0, 2, sync_array), shmem_sync_all()))
MEASURED(fcollect,
         (shmem_fcollect64(target, source, length / 8, 0, 0, 2, sync_array), shmem_sync_all()))
MEASURED(broadcast,
         (shmem_broadcast64(target, source, length / 8, 0, 0, 0, 2, sync_array), shmem_sync_all()))
#endif

static double batch_ns(void (*measured)(int), int calls) {
  const double start = now_ns();
  measured(calls);
  return (now_ns() - start) / calls;
}
static double lesser(double a, double b) { return a < b ? a : b; }

/* Both PEs come here. `together`: both make the calls, and otherwise PE 0 alone. */
static void row(const char* op, size_t bytes, int calls, int together, void (*call)(int),
                void (*by_hand)(int)) {
  double ns = 1e18, limit_ns = 1e18;
  if (there == NULL) by_hand = NULL;
  length = bytes;
  for (int i = 0; i < batches; ++i) {
    shmem_barrier_all();
    if (together || me == 0) ns = lesser(ns, batch_ns(call, calls));
    shmem_barrier_all();
    if (by_hand != NULL && (together || me == 0))
      limit_ns = lesser(limit_ns, batch_ns(by_hand, calls));
  }
  shmem_barrier_all();
  if (me != 0) return;
  printf("%s\t%s\t%zu\t%.2f\n", library, op, bytes, ns);
  if (by_hand != NULL) printf("limit\t%s\t%zu\t%.2f\n", op, bytes, limit_ns);
  fflush(stdout);
}

static void rows(void) {
  row("put.value", 8, 1000, 0, put_value, put_value_by_hand);
  row("get.value", 8, 1000, 0, get_value, get_value_by_hand);
  for (size_t bytes = 8; bytes <= MEBI; bytes = bytes == 8 ? 4096 : MEBI) {
    const int calls = bytes == 8 ? 1000 : bytes == 4096 ? 200 : 3;
    row("put", bytes, calls, 0, put, put_by_hand);
    row("get", bytes, calls, 0, get, get_by_hand);
    if (bytes == MEBI) break;
  }
  row("fadd", 8, 1000, 0, fetch_add, fetch_add_by_hand);
  row("nbput1000", 8, LINES, 0, stream, stream_by_hand);
  row("put_signal.pingpong", 8, 200, 1, pingpong, pingpong_by_hand);
  row("barrier", 0, 200, 1, barrier, meet_by_hand);
  row("sync", 0, 200, 1, meet, meet_by_hand);
  for (size_t bytes = 8; bytes <= MEBI; bytes *= MEBI / 8) {
    const int calls = bytes == 8 ? 200 : 2;
    row("sum_reduce", bytes, calls, 1, sum, NULL);
    row("broadcast", bytes, calls, 1, broadcast, NULL);
    row("collect", bytes, calls, 1, collect, NULL);
    row("fcollect", bytes, calls, 1, fcollect, NULL);
  }
}

static void* allocated(size_t bytes) {
  void* const memory = shmem_align(4096, bytes);
  if (memory == NULL) {
    fprintf(stderr, "shmem_bench: no memory\n");
    shmem_global_exit(1);
  }
  memset(memory, 0, bytes);
  return memory;
}

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: shmem_bench LIBRARY [BATCHES], by 2 PEs\n");
    return 1;
  }
  library = argv[1];
  batches = argc == 3 ? atoi(argv[2]) : 300;
  shmem_init();
  me = shmem_my_pe();
  if (shmem_n_pes() != 2) {
    fprintf(stderr, "shmem_bench: two PEs measure, and there are %d\n", shmem_n_pes());
    shmem_global_exit(1);
  }
  source = allocated(2 * MEBI);
  target = allocated(2 * MEBI);
  word = allocated(LINE);
  signal_word = allocated(LINE);
  flags = allocated(LINE);
  there = shmem_ptr(target, 1 - me);
  there_word = shmem_ptr(word, 1 - me);
  there_signal = shmem_ptr(signal_word, 1 - me);
  there_flags = shmem_ptr(flags, 1 - me);
#if !SINCE(1, 5)
  for (size_t i = 0; i < sizeof sync_array / sizeof *sync_array; ++i)
    sync_array[i] = SHMEM_SYNC_VALUE;
#endif
  shmem_barrier_all();
  rows();
  shmem_finalize();
  return 0;
}
