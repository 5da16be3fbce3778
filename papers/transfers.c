/* Transfers as the papers on ARMCI measure them, through armci.h: process 0 acts on process 1,
 * which waits. Prints lines of operation, size and nanoseconds, separated by tabs, each the middle
 * one of several batches. The words behind the program choose what is measured; without any, all
 * is.
 *
 *   armature run -n 2 build/bin/papers/transfers contiguous strided gather overlap accumulate
 *   armature run -n 2 --nodes 2 build/bin/papers/transfers strided
 *
 * contiguous: bytes, in a window of eight, and one by one; put.local is until the call returns, the
 * others with their fence. strided: square sections of a matrix of doubles by one call (.section),
 * or a call for each row (.rows). gather: every third element, one by one, as a vector, and by an
 * aggregate handle. overlap: per cent of a get that is hidden behind as long a computation, and
 * behind one of thrice that. accumulate: contiguous and sections. Ways to do the same take turns, a
 * batch each: what slows the machine down for a while slows all of them down. */
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/peers/timing.h"

static int me, argument; /* bytes, rows or elements of the row that is being measured */
static void* remote[64];
static char *local, *target;
static armci_hdl_t handles[COUNT_MAX];
static void *from[COUNT_MAX], *to[COUNT_MAX];

static void put_window(void) {
  for (int i = 0; i < WINDOW; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    ARMCI_NbPut(local + (long)i * argument, target + (long)i * argument, argument, 1, &handles[i]);
  }
  for (int i = 0; i < WINDOW; ++i) ARMCI_Wait(&handles[i]);
  ARMCI_Fence(1);
}

static void get_window(void) {
  for (int i = 0; i < WINDOW; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    ARMCI_NbGet(target + (long)i * argument, local + (long)i * argument, argument, 1, &handles[i]);
  }
  for (int i = 0; i < WINDOW; ++i) ARMCI_Wait(&handles[i]);
}

static void put_one(void) {
  ARMCI_Put(local, target, argument, 1);
  ARMCI_Fence(1);
}
static void get_one(void) { ARMCI_Get(target, local, argument, 1); }

static void accumulate_one(void) {
  double one = 1;
  ARMCI_Acc(ARMCI_ACC_DBL, &one, local, target, argument, 1);
  ARMCI_Fence(1);
}

/* Sections lie in a matrix of SIDE columns at the target, and close together here. */
static void get_section(void) {
  const int row = argument * (int)sizeof(double);
  int here[1] = {row}, there[1] = {SIDE * (int)sizeof(double)}, count[2] = {row, argument};
  ARMCI_GetS(target, there, local, here, count, 1, 1);
}

static void accumulate_section(void) {
  double one = 1;
  const int row = argument * (int)sizeof(double);
  int here[1] = {row}, there[1] = {SIDE * (int)sizeof(double)}, count[2] = {row, argument};
  ARMCI_AccS(ARMCI_ACC_DBL, &one, local, here, target, there, count, 1, 1);
  ARMCI_Fence(1);
}

static void get_rows(void) {
  const int row = argument * (int)sizeof(double);
  for (int i = 0; i < argument; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    ARMCI_NbGet(target + (long)i * SIDE * (long)sizeof(double), local + (long)i * row, row, 1,
                &handles[i]);
  }
  for (int i = 0; i < argument; ++i) ARMCI_Wait(&handles[i]);
}

static void* element(int i) { return (double*)target + (long)i * STEP; }
static void* place(int i) { return (double*)local + i; }

static void get_each(void) {
  for (int i = 0; i < argument; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    ARMCI_NbGet(element(i), place(i), sizeof(double), 1, &handles[i]);
  }
  for (int i = 0; i < argument; ++i) ARMCI_Wait(&handles[i]);
}

static void put_each(void) {
  for (int i = 0; i < argument; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    ARMCI_NbPut(place(i), element(i), sizeof(double), 1, &handles[i]);
  }
  for (int i = 0; i < argument; ++i) ARMCI_Wait(&handles[i]);
  ARMCI_Fence(1);
}

static void get_vector(void) {
  for (int i = 0; i < argument; ++i) from[i] = element(i), to[i] = place(i);
  armci_giov_t vector = {from, to, sizeof(double), argument};
  ARMCI_GetV(&vector, 1, 1);
}

static void put_vector(void) {
  for (int i = 0; i < argument; ++i) from[i] = place(i), to[i] = element(i);
  armci_giov_t vector = {from, to, sizeof(double), argument};
  ARMCI_PutV(&vector, 1, 1);
  ARMCI_Fence(1);
}

static void get_aggregated(void) {
  ARMCI_INIT_HANDLE(&handles[0]);
  ARMCI_SET_AGGREGATE_HANDLE(&handles[0]);
  for (int i = 0; i < argument; ++i)
    ARMCI_NbGet(element(i), place(i), sizeof(double), 1, &handles[0]);
  ARMCI_Wait(&handles[0]);
}

static void put_aggregated(void) {
  ARMCI_INIT_HANDLE(&handles[0]);
  ARMCI_SET_AGGREGATE_HANDLE(&handles[0]);
  for (int i = 0; i < argument; ++i)
    ARMCI_NbPut(place(i), element(i), sizeof(double), 1, &handles[0]);
  ARMCI_Wait(&handles[0]);
  ARMCI_Fence(1);
}

static double batch_ns(void (*call)(void), long calls) {
  const double start = armci_timer();
  for (long i = 0; i < calls; ++i) call();
  return (armci_timer() - start) * 1e9 / (double)calls;
}

static double time_of(void (*call)(void)) {
  double ns[BATCHES];
  call();
  const int calls = calls_of_batch(batch_ns(call, 2));
  for (int i = 0; i < BATCHES; ++i) ns[i] = batch_ns(call, calls);
  return middle(ns, BATCHES);
}

/* A put until it returns: those of a window, whose fence is not counted. */
static double put_local_ns(void) {
  double ns[BATCHES];
  const int windows = calls_of_batch(batch_ns(put_one, 2)) / WINDOW + 1;
  for (int i = 0; i < BATCHES; ++i) {
    double seconds = 0;
    for (int j = 0; j < windows; ++j) {
      const double start = armci_timer();
      for (int k = 0; k < WINDOW; ++k) ARMCI_Put(local, target, argument, 1);
      seconds += armci_timer() - start;
      ARMCI_Fence(1);
    }
    ns[i] = seconds * 1e9 / windows / WINDOW;
  }
  return middle(ns, BATCHES);
}

/* Connections are made, and the processor has got its speed, before anything counts. */
static void warm_up(void) {
  argument = 4096;
  const double until = armci_timer() + 0.1;
  while (armci_timer() < until) {
    put_window();
    get_window();
    put_one();
  }
}

static void row(const char* operation, int size, double divisor, void (*call)(void)) {
  argument = size;
  printf("%s\t%d\t%.2f\n", operation, size, time_of(call) / divisor);
  fflush(stdout);
}

struct way {
  const char* operation;
  void (*call)(void);
};
enum { WAYS_MAX = 3 };

/* Rows of ways to do the same, which take turns. */
static void rows_in_turn(const struct way* ways, int count, int size) {
  double ns[WAYS_MAX][BATCHES];
  int calls[WAYS_MAX];
  argument = size;
  for (int w = 0; w < count; ++w) {
    ways[w].call();
    calls[w] = calls_of_batch(batch_ns(ways[w].call, 2));
  }
  for (int i = 0; i < BATCHES; ++i)
    for (int w = 0; w < count; ++w) ns[w][i] = batch_ns(ways[w].call, calls[w]);
  for (int w = 0; w < count; ++w)
    printf("%s\t%d\t%.2f\n", ways[w].operation, size, middle(ns[w], BATCHES));
  fflush(stdout);
}

static void contiguous(void) {
  for (int bytes = 8; bytes <= LONGEST; bytes *= bytes < 1024 ? 8 : 4) {
    row("put", bytes, 1, put_one);
    printf("put.local\t%d\t%.2f\n", bytes, put_local_ns());
    row("get", bytes, 1, get_one);
    row("put.window", bytes, WINDOW, put_window);
    row("get.window", bytes, WINDOW, get_window);
  }
}

static void strided(void) {
  const struct way ways[] = {{"get.section", get_section}, {"get.rows", get_rows}};
  for (int rows = 8; rows <= SIDE; rows *= 2) rows_in_turn(ways, 2, rows);
}

static void gather(void) {
  const int counts[] = {1, 10, 100, COUNT_MAX};
  const struct way gets[] = {
      {"get.each", get_each}, {"get.vector", get_vector}, {"get.aggregated", get_aggregated}};
  const struct way puts[] = {
      {"put.each", put_each}, {"put.vector", put_vector}, {"put.aggregated", put_aggregated}};
  for (int i = 0; i < 4; ++i) {
    rows_in_turn(gets, WAYS_MAX, counts[i]);
    rows_in_turn(puts, WAYS_MAX, counts[i]);
  }
}

static void accumulate(void) {
  for (int bytes = 8; bytes <= LONGEST; bytes *= bytes < 1024 ? 8 : 4)
    row("acc", bytes, 1, accumulate_one);
  for (int rows = 8; rows <= SIDE; rows *= 2) row("acc.section", rows, 1, accumulate_section);
}

/* A get that computes in between: what its calls still take, as a part of the get alone. */
static double seen_per_cent(double whole_s, double computing_s) {
  double seen[LOOKS];
  for (int i = 0; i < LOOKS; ++i) {
    ARMCI_INIT_HANDLE(&handles[0]);
    const double start = armci_timer();
    ARMCI_NbGet(target, local, argument, 1, &handles[0]);
    const double begun = armci_timer();
    compute(computing_s, armci_timer);
    const double computed = armci_timer();
    ARMCI_Wait(&handles[0]);
    seen[i] = (begun - start) + (armci_timer() - computed);
  }
  return 100 * middle(seen, LOOKS) / whole_s;
}

static void overlap(void) {
  for (argument = 1024; argument <= LONGEST; argument *= 4) {
    const double whole_s = time_of(get_one) * 1e-9;
    printf("overlap\t%d\t%.1f\n", argument, 100 - seen_per_cent(whole_s, whole_s));
    printf("overlap.thrice\t%d\t%.1f\n", argument, 100 - seen_per_cent(whole_s, 3 * whole_s));
    fflush(stdout);
  }
}

static const struct {
  const char* name;
  void (*measure)(void);
} parts[] = {{"contiguous", contiguous},
             {"strided", strided},
             {"gather", gather},
             {"overlap", overlap},
             {"accumulate", accumulate}};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int is_part(const char* word) {
  for (int i = 0; i < PARTS; ++i)
    if (strcmp(word, parts[i].name) == 0) return 1;
  return 0;
}

static int asked_for(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0) return 1;
  return argc == 1;
}

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  me = armci_msg_me();
  const int processes = armci_msg_nproc();
  if (processes < 2 || processes > 64) ARMCI_Error("transfers: 2 to 64 processes are needed", 2);
  for (int i = 1; i < argc; ++i)
    if (!is_part(argv[i]))
      ARMCI_Error("usage: transfers [contiguous] [strided] [gather] [overlap] [accumulate]", 2);
  const armci_size_t room = (armci_size_t)WINDOW * LONGEST;
  local = ARMCI_Malloc_local(room);
  if (local == NULL || ARMCI_Malloc(remote, room) != 0)
    ARMCI_Error("transfers: not enough memory", 1);
  memset(local, 0, (size_t)room);
  memset(remote[me], 0, (size_t)room);
  target = remote[1];
  ARMCI_Barrier();
  if (me == 0) warm_up();
  for (int i = 0; i < PARTS && me == 0; ++i)
    if (asked_for(parts[i].name, argc, argv)) parts[i].measure();
  ARMCI_Barrier();
  ARMCI_Free(remote[me]);
  ARMCI_Free_local(local);
  ARMCI_Finalize();
  return 0;
}
