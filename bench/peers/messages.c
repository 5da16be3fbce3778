/* The transfers of papers/transfers.c and papers/pings.cpp with an MPI library: by messages, and by
 * MPI's one-sided calls in a passive epoch. Prints lines of operation, size and nanoseconds,
 * separated by tabs, each the middle one of several batches. Words choose what is measured.
 *
 *   mpicc -O3 messages.c -o messages
 *   mpirun -n 2 ./messages latency windows one_sided strided gather overlap accumulate pings
 *
 * Process 1 serves: it takes a request and does what that asks for, as often as it says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum { TAG = 1 };

struct request {
  int what, argument, calls;
};
enum { END, STREAM, PONG, SEND, SEND_SECTION, PINGS };

static int me, argument;
static char *memory, *local;
static MPI_Win window;
static MPI_Datatype section, picked;
static MPI_Request pending[WINDOW];

static void wait_all(void) { MPI_Waitall(WINDOW, pending, MPI_STATUSES_IGNORE); }

/* -- both sides of each pattern of messages ---------------------------------------------------- */

static void ask(int what, int calls) {
  const struct request request = {what, argument, calls};
  MPI_Send(&request, sizeof request, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

static void stream(int to) {
  for (int i = 0; i < WINDOW; ++i)
    MPI_Isend(memory + (size_t)i * argument, argument, MPI_BYTE, to, TAG, MPI_COMM_WORLD,
              &pending[i]);
  wait_all();
  MPI_Recv(NULL, 0, MPI_BYTE, to, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void take_stream(int from) {
  for (int i = 0; i < WINDOW; ++i)
    MPI_Irecv(memory + (size_t)i * argument, argument, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
              &pending[i]);
  wait_all();
  MPI_Send(NULL, 0, MPI_BYTE, from, TAG, MPI_COMM_WORLD);
}

static void send_to(int to) { MPI_Send(memory, argument, MPI_BYTE, to, TAG, MPI_COMM_WORLD); }
static void take_from(int from) {
  MPI_Recv(local, argument, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void take_pings(void) {
  char ping;
  for (int i = 0; i < argument; ++i)
    MPI_Recv(&ping, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&ping, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

static void describe_section(void) {
  MPI_Type_vector(argument, argument, SIDE, MPI_DOUBLE, &section);
  MPI_Type_commit(&section);
}

static void send_section(void) { MPI_Send(memory, 1, section, 0, TAG, MPI_COMM_WORLD); }

static void serve_one(const struct request* request) {
  char word;
  argument = request->argument;
  if (request->what == SEND_SECTION) describe_section();
  for (int i = 0; i < request->calls; ++i) {
    if (request->what == STREAM) take_stream(0);
    if (request->what == PONG) take_from(0), send_to(0);
    if (request->what == PINGS) take_pings();
    if (request->what == SEND || request->what == SEND_SECTION) {
      MPI_Recv(&word, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      request->what == SEND ? send_to(0) : send_section();
    }
  }
  if (request->what == SEND_SECTION) MPI_Type_free(&section);
}

static void serve(void) {
  struct request request;
  for (;;) {
    MPI_Recv(&request, sizeof request, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (request.what == END) return;
    serve_one(&request);
  }
}

/* -- timing ------------------------------------------------------------------------------------ */

static double batch_ns(void (*call)(void), int what, int calls) {
  if (what != END) ask(what, calls);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call();
  return (MPI_Wtime() - start) * 1e9 / calls;
}

static double time_of(void (*call)(void), int what) {
  double ns[BATCHES];
  batch_ns(call, what, 1);
  const int calls = calls_of_batch(batch_ns(call, what, 2));
  for (int i = 0; i < BATCHES; ++i) ns[i] = batch_ns(call, what, calls);
  return middle(ns, BATCHES);
}

static void row(const char* operation, int size, double divisor, void (*call)(void), int what) {
  argument = size;
  printf("%s\t%d\t%.2f\n", operation, size, time_of(call, what) / divisor);
  fflush(stdout);
}

/* -- what process 0 does ----------------------------------------------------------------------- */

static void stream_to_1(void) { stream(1); }
static void there_and_back(void) {
  send_to(1);
  take_from(1);
}
static void request_word(void) { MPI_Send("?", 1, MPI_BYTE, 1, TAG, MPI_COMM_WORLD); }
static void requested(void) {
  request_word();
  take_from(1);
}
static void requested_section(void) {
  request_word();
  MPI_Recv(local, argument * argument, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void pings(void) {
  char ping = 0;
  for (int i = 0; i < argument; ++i) MPI_Send(&ping, 1, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
  MPI_Recv(&ping, 1, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void rma_put(void) {
  MPI_Put(local, argument, MPI_BYTE, 1, 0, argument, MPI_BYTE, window);
  MPI_Win_flush(1, window);
}
static void rma_get(void) {
  MPI_Get(local, argument, MPI_BYTE, 1, 0, argument, MPI_BYTE, window);
  MPI_Win_flush(1, window);
}
static void rma_accumulate(void) {
  const int count = argument / (int)sizeof(double);
  MPI_Accumulate(local, count, MPI_DOUBLE, 1, 0, count, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_flush(1, window);
}
static void rma_section(void) {
  MPI_Get(local, argument * argument, MPI_DOUBLE, 1, 0, 1, section, window);
  MPI_Win_flush(1, window);
}
static void rma_accumulate_section(void) {
  MPI_Accumulate(local, argument * argument, MPI_DOUBLE, 1, 0, 1, section, MPI_SUM, window);
  MPI_Win_flush(1, window);
}
static void rma_each(void) {
  for (int i = 0; i < argument; ++i)
    MPI_Get(local + (size_t)i * 8, 1, MPI_DOUBLE, 1, (MPI_Aint)i * STEP * 8, 1, MPI_DOUBLE, window);
  MPI_Win_flush(1, window);
}
static void rma_vector(void) {
  MPI_Get(local, argument, MPI_DOUBLE, 1, 0, 1, picked, window);
  MPI_Win_flush(1, window);
}

static void latency(void) { row("message", 8, 2, there_and_back, PONG); }

static void windows(void) {
  for (int bytes = 8; bytes <= LONGEST; bytes *= bytes < 1024 ? 8 : 4)
    row("message.window", bytes, WINDOW, stream_to_1, STREAM);
}

static void one_sided(void) {
  for (int bytes = 8; bytes <= LONGEST; bytes *= bytes < 1024 ? 8 : 4) {
    row("put", bytes, 1, rma_put, END);
    row("get", bytes, 1, rma_get, END);
  }
}

static void strided(void) {
  for (int rows = 8; rows <= SIDE; rows *= 2) {
    argument = rows;
    describe_section();
    row("get.section", rows, 1, rma_section, END);
    MPI_Type_free(&section);
    row("message.section", rows, 1, requested_section, SEND_SECTION);
  }
}

static void gather(void) {
  const int counts[] = {1, 10, 100, COUNT_MAX};
  for (int i = 0; i < 4; ++i) {
    MPI_Type_vector(counts[i], 1, STEP, MPI_DOUBLE, &picked);
    MPI_Type_commit(&picked);
    row("get.each", counts[i], 1, rma_each, END);
    row("get.vector", counts[i], 1, rma_vector, END);
    MPI_Type_free(&picked);
  }
}

static void accumulate(void) {
  for (int bytes = 8; bytes <= LONGEST; bytes *= bytes < 1024 ? 8 : 4)
    row("acc", bytes, 1, rma_accumulate, END);
  for (int rows = 8; rows <= SIDE; rows *= 2) {
    argument = rows;
    describe_section();
    row("acc.section", rows, 1, rma_accumulate_section, END);
    MPI_Type_free(&section);
  }
}

static void many_pings(void) {
  const int counts[] = {1, 2, 5, 10, 20, 50, 100, 1000, 10000};
  for (int i = 0; i < 9; ++i) row("pings", counts[i], 1, pings, PINGS);
}

/* A request that computes in between: what its calls still take, as a part of the request alone. */
static double seen_per_cent(double whole_s, double computing_s) {
  double seen[LOOKS];
  ask(SEND, LOOKS);
  for (int i = 0; i < LOOKS; ++i) {
    const double start = MPI_Wtime();
    MPI_Irecv(local, argument, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &pending[0]);
    request_word();
    const double begun = MPI_Wtime();
    compute(computing_s, MPI_Wtime);
    const double computed = MPI_Wtime();
    MPI_Wait(&pending[0], MPI_STATUS_IGNORE);
    seen[i] = (begun - start) + (MPI_Wtime() - computed);
  }
  return 100 * middle(seen, LOOKS) / whole_s;
}

static void overlap(void) {
  for (argument = 1024; argument <= LONGEST; argument *= 4) {
    const double whole_s = time_of(requested, SEND) * 1e-9;
    printf("overlap\t%d\t%.1f\n", argument, 100 - seen_per_cent(whole_s, whole_s));
    printf("overlap.thrice\t%d\t%.1f\n", argument, 100 - seen_per_cent(whole_s, 3 * whole_s));
    fflush(stdout);
  }
}

static const struct {
  const char* name;
  void (*measure)(void);
} parts[] = {{"latency", latency},       {"windows", windows}, {"one_sided", one_sided},
             {"strided", strided},       {"gather", gather},   {"overlap", overlap},
             {"accumulate", accumulate}, {"pings", many_pings}};

static void measure(int argc, char** argv) {
  for (int i = 0; i < (int)(sizeof parts / sizeof parts[0]); ++i) {
    int wanted = argc == 1;
    for (int j = 1; j < argc; ++j) wanted = wanted || strcmp(argv[j], parts[i].name) == 0;
    if (wanted) parts[i].measure();
  }
  argument = 0;
  ask(END, 0);
}

int main(int argc, char** argv) {
  const MPI_Aint room = (MPI_Aint)WINDOW * LONGEST;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  local = calloc(1, (size_t)room);
  MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  if (local == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(memory, 0, (size_t)room);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) measure(argc, argv);
  if (me == 1) serve();
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
