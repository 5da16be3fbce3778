/* How fast one process reaches another's memory, in the C interface: latency and bandwidth of put,
   get and accumulate by size, from process 0 to the last one, which does nothing. A size may be
   given that is the largest tried, in bytes.

     armature run -n 2 build/bin/examples/armci_perf [65536] */
#include <armci.h>
#include <limits.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES_MAX = 4096 };

static int me, last;                /* process 0 measures, and the last one does nothing */
static void* pieces[PROCESSES_MAX]; /* of all processes */
static double *local, *remote;
static long calls_made;

static void put(int bytes) { ARMCI_Put(local, remote, bytes, last); }
static void get(int bytes) { ARMCI_Get(remote, local, bytes, last); }
static void accumulate(int bytes) {
  double one = 1;
  ARMCI_Acc(ARMCI_ACC_DBL, &one, local, remote, bytes, last);
}
/* Columns of a matrix 64 doubles wide, as many bytes in all. */
static void put_columns(int bytes) {
  int stride[1] = {64 * sizeof(double)}, count[2] = {bytes < 256 ? bytes : 256, 1};
  count[1] = bytes / count[0];
  ARMCI_PutS(local, stride, remote, stride, count, 1, last);
}

/* Seconds per call, of the best of several rounds: others use the machine too. */
static double seconds(void (*call)(int), int bytes) {
  const int calls = bytes > 65536 ? 20 : 2000;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const double start = armci_timer();
    for (int i = 0; i < calls; ++i) call(bytes);
    ARMCI_Fence(last);
    const double each = (armci_timer() - start) / calls;
    if (each < best) best = each;
    calls_made += calls;
  }
  return best;
}

static void measure(int bytes_max) {
  static void (*const calls[])(int) = {put, get, accumulate, put_columns};
  printf("%9s %25s %25s %25s %25s\n", "bytes", "put", "get", "accumulate", "strided put");
  for (long size = 8; size <= bytes_max; size *= 4) { /* the one after the last is no int */
    const int bytes = (int)size;
    printf("%9d", bytes);
    for (int i = 0; i < 4; ++i) {
      const double each = seconds(calls[i], bytes);
      printf(" %10.3f us %6.2f GB/s", each * 1e6, bytes / each * 1e-9);
    }
    printf("\n");
  }
  printf("%ld calls\n", calls_made);
}

/* The first argument, or what is measured without one. */
static int size_asked_for(int argc, char** argv) {
  if (argc == 1) return 8 << 20;
  char* end = NULL;
  const long bytes = strtol(argv[1], &end, 10);
  if (argc > 2 || *end != '\0' || bytes < 8 || bytes > INT_MAX)
    ARMCI_Error("usage: armci_perf [BYTES], 8 to 2147483647", 2);
  return (int)bytes;
}

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  me = armci_msg_me();
  last = armci_msg_nproc() - 1;
  const int bytes_max = size_asked_for(argc, argv);
  const armci_size_t room = 2L * (bytes_max > 4096 ? bytes_max : 4096); /* columns have gaps */

  if (last >= PROCESSES_MAX) ARMCI_Error("more processes than there is room for", last + 1);
  local = ARMCI_Malloc_local(room);
  if (local == NULL || ARMCI_Malloc(pieces, room) != 0)
    ARMCI_Error("not enough memory for the sizes asked for", 1);
  memset(pieces[me], 0, (size_t)room);
  memset(local, 0, (size_t)room); /* numbers to accumulate */
  ARMCI_Barrier();

  remote = pieces[last];
  if (me == 0) measure(bytes_max);

  ARMCI_Barrier();
  ARMCI_Free(pieces[me]);
  ARMCI_Free_local(local);
  ARMCI_Finalize();
  return 0;
}
