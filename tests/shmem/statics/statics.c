/* Static and global variables are symmetric: of files and functions, in C and C++. */
#include "statics.h"

#include <sys/wait.h>
#include <unistd.h>

static long of_file = 17; /* .data */
static long ready;        /* .bss */
int of_program[100000];   /* pages of its own */
static double numbers[64];
static uint64_t arrived;
static long lock;
static long under_lock;
static long sync_words[SHMEM_REDUCE_SYNC_SIZE];
static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long* const pointer = &of_file;
static _Thread_local long of_thread;

static long* of_function(void) {
  static long word = 3;
  return &word;
}

static int me, pes, next, previous;

static void keep_their_values(long was_set) {
  CHECK(of_file == was_set && *pointer == was_set && ready == 0 && *of_function() == 3);
  for (size_t i = 0; i < sizeof of_program / sizeof *of_program; ++i) CHECK(of_program[i] == 0);
}

static void are_found(void) {
  long on_stack = 0;
  CHECK(shmem_addr_accessible(&of_file, next) && shmem_addr_accessible(of_program, next));
  CHECK(shmem_addr_accessible(of_function(), me));
  CHECK(!shmem_addr_accessible(&on_stack, next) && !shmem_addr_accessible(&of_thread, next));
  CHECK(!shmem_addr_accessible(&of_file, pes));
  CHECK(shmem_ptr(&of_file, me) == &of_file && shmem_ptr(&on_stack, me) == NULL);
}

static void are_put_and_got(void) {
  shmem_long_p(&of_file, 100 + me, next);
  shmem_long_p(of_function(), 200 + me, next);
  for (int i = 0; i < 64; ++i) numbers[i] = me + i / 64.0;
  static int source[1000];
  for (int i = 0; i < 1000; ++i) source[i] = me * 1000 + i;
  shmem_int_put(of_program + 98500, source, 1000, next);
  shmem_int_iput(of_program, source, 3, 1, 100, next);
  shmem_int_put_nbi(of_program + 5000, source, 1000, next);
  shmem_barrier_all();
  CHECK(of_file == 100 + previous && *of_function() == 200 + previous);
  for (int i = 0; i < 1000; ++i) {
    CHECK(of_program[98500 + i] == previous * 1000 + i);
    CHECK(of_program[5000 + i] == previous * 1000 + i);
  }
  for (int i = 0; i < 100; ++i) CHECK(of_program[3 * i] == previous * 1000 + i);
  double got[64];
  shmem_double_get(got, numbers, 64, next);
  CHECK(got[0] == next && got[63] == next + 63 / 64.0);
  CHECK(shmem_double_g(numbers + 1, previous) == previous + 1 / 64.0);
  shmem_barrier_all();
}

static void are_reached_by_loads_and_stores(void) {
  long* there = shmem_ptr(&of_file, next);
  if (there != NULL) *there = 300 + me;
  if (there == NULL) shmem_long_p(&of_file, 300 + me, next);
  shmem_barrier_all();
  CHECK(of_file == 300 + previous);
  CHECK(there == NULL || *there == 300 + me);
  shmem_barrier_all();
}

static void are_waited_for(void) {
  long mine = 400 + me;
  shmem_long_put_signal(&of_file, &mine, 1, &arrived, 7, SHMEM_SIGNAL_SET, next);
  shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 7);
  CHECK(of_file == 400 + previous);
  shmem_long_p(&ready, 1, next);
  shmem_long_wait_until(&ready, SHMEM_CMP_EQ, 1);
  shmem_barrier_all();
}

static void are_changed_by_atomics(void) {
  static long counter;
  for (int i = 0; i < 100; ++i) (void)shmem_long_atomic_fetch_add(&counter, 1, 0);
  for (int i = 0; i < 20; ++i) {
    shmem_set_lock(&lock);
    shmem_long_p(&under_lock, shmem_long_g(&under_lock, pes - 1) + 1, pes - 1);
    shmem_clear_lock(&lock);
  }
  shmem_barrier_all();
  if (me == 0) CHECK(counter == 100L * pes);
  if (me == pes - 1) CHECK(under_lock == 20L * pes);
}

static void are_collected(void) {
  static long from[4], to[64];
  for (int i = 0; i < 4; ++i) from[i] = me + i;
  shmem_long_sum_to_all(to, from, 4, 0, 0, pes, work, sync_words);
  for (int i = 0; i < 4; ++i) CHECK(to[i] == pes * (pes - 1L) / 2 + (long)i * pes);
  shmem_barrier_all();
  shmem_long_fcollect(SHMEM_TEAM_WORLD, to, from, 2);
  for (int i = 0; i < pes; ++i) CHECK(to[2 * i] == i && to[2 * i + 1] == i + 1);
  shmem_barrier_all();
}

/* A child has variables of its own, and so has its parent. */
static void are_not_a_childs(void) {
  of_file = 1;
  int to_child[2];
  CHECK(pipe(to_child) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    char byte = 0;
    if (read(to_child[0], &byte, 1) != 1 || of_file != 1 || of_program[0] != previous * 1000)
      _exit(1);
    of_file = 2;
    of_program[0] = -1;
    _exit(0);
  }
  of_file = 3;
  int status = -1;
  CHECK(write(to_child[1], "x", 1) == 1 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(of_file == 3 && of_program[0] == previous * 1000);
  close(to_child[0]), close(to_child[1]);
  shmem_barrier_all();
  shmem_long_p(&of_file, 500 + me, next);
  shmem_barrier_all();
  CHECK(of_file == 500 + previous);
}

int main(int argc, char** argv) {
  of_file = 18;
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes();
  next = (me + 1) % pes, previous = (me + pes - 1) % pes;
  keep_their_values(18);
  shmem_barrier_all();
  are_found();
  are_put_and_got();
  are_reached_by_loads_and_stores();
  are_waited_for();
  are_changed_by_atomics();
  are_collected();
  test_statics_of_cpp();
  if (argc == 1 || strcmp(argv[1], "--no-fork") != 0) are_not_a_childs();
  shmem_finalize();
  CHECK_AFTER(of_program[5999] == previous * 1000 + 999);
  of_file = 4;
  CHECK_AFTER(*pointer == 4);
  return 0;
}
