/* Five faulty programs and their mended twins: `races NAME [mended]`. Each fault is one that a PE
   seldom suffers from: the look for unordered accesses names it whichever way the run goes. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 64 };
static long data[COUNT];
static long word;
static uint64_t arrived;

/* PE 0 puts to PE 1, and PE 2 or PE 1 itself gets it. */
static void missing_quiet(int is_mended) {
  const int me = shmem_my_pe();
  const long value[COUNT] = {7};
  if (me == 0) {
    shmem_long_put(data, value, COUNT, 1);
    if (is_mended) shmem_quiet();
  }
  shmem_sync_all();
  if (me == shmem_n_pes() - 1) printf("got %ld\n", shmem_long_g(data, 1));
  shmem_barrier_all();
}

static void missing_barrier(int is_mended) {
  const int me = shmem_my_pe();
  if (me == 0) shmem_long_p(&word, 5, 1);
  if (is_mended) shmem_barrier_all();
  if (me != 0) printf("got %ld\n", shmem_long_g(&word, 1));
  shmem_barrier_all();
}

static void read_before_signal(int is_mended) {
  const int me = shmem_my_pe();
  const long value[COUNT] = {3};
  if (me == 0) shmem_long_put_signal(data, value, COUNT, &arrived, 1, SHMEM_SIGNAL_SET, 1);
  if (me == 1) {
    long first = 0;
    if (is_mended) shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);
    shmem_long_get(&first, data, 1, 1);
    if (!is_mended) shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);
    printf("got %ld\n", first);
  }
  shmem_barrier_all();
}

static void buffer_reused(int is_mended) {
  if (shmem_my_pe() == 0) {
    long buffer[COUNT] = {1};
    shmem_long_put_nbi(data, buffer, COUNT, 1);
    if (is_mended) shmem_quiet();
    buffer[3] = 4;
    shmem_quiet();
  }
  shmem_barrier_all();
}

static void atomics_and_puts(int is_mended) {
  const int me = shmem_my_pe();
  if (me == 0) {
    if (is_mended)
      shmem_long_atomic_set(&word, 10, 1);
    else
      shmem_long_p(&word, 10, 1);
  } else {
    shmem_long_atomic_inc(&word, 1);
  }
  shmem_barrier_all();
}

/* A right program, with each way of ordering that there is. */
static void all_ways(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
  static long box[COUNT], flag, counter, lock, small[8];
  static uint64_t ready;
  static short old_flag;
  for (long turn = 1; turn <= 3; ++turn) {
    const long value[COUNT] = {me + turn};
    /* a fence, and a word behind it */
    shmem_long_put(box, value, COUNT, next);
    shmem_fence();
    shmem_long_p(&flag, turn, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, turn);
    if (shmem_long_g(box, me) != before + turn) shmem_global_exit(3);
    shmem_barrier_all();
    /* data with a signal, that a loop fetches */
    shmem_long_put_signal_nbi(box, value, COUNT, &ready, 1, SHMEM_SIGNAL_ADD, next);
    while (shmem_signal_fetch(&ready) < (uint64_t)turn) {
    }
    if (shmem_long_g(box, me) != before + turn) shmem_global_exit(4);
    shmem_barrier_all();
    /* atomics, and what is behind them */
    shmem_long_put_nbi(box, value, COUNT, next);
    shmem_quiet();
    shmem_long_atomic_add(&counter, 1, next);
    while (shmem_long_atomic_fetch(&counter, me) < turn)
      (void)shmem_long_test(&flag, SHMEM_CMP_LT, 0);
    if (shmem_long_g(box, me) != before + turn) shmem_global_exit(5);
    shmem_sync_all();
    /* a lock around what all change */
    shmem_set_lock(&lock);
    shmem_long_p(&word, shmem_long_g(&word, 0) + 1, 0);
    shmem_clear_lock(&lock);
    shmem_barrier_all();
    if (shmem_long_g(&word, 0) != turn * n) shmem_global_exit(6);
    shmem_sync_all();
    /* strides that lie between each other */
    shmem_long_iput(small + me, value, n, 1, 2, 0);
    shmem_barrier_all();
    /* the old wait for two bytes */
    shmem_short_p(&old_flag, (short)turn, next);
    shmem_short_wait_until(&old_flag, SHMEM_CMP_GE, (short)turn);
    /* a collective between a complete put and a get */
    shmem_long_p(&data[me], turn, 0);
    shmem_quiet();
    shmem_team_sync(SHMEM_TEAM_WORLD);
    if (shmem_long_g(&data[before], 0) != turn) shmem_global_exit(7);
    shmem_barrier_all();
  }
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  const int is_mended = argc > 2;
  shmem_init();
  if (strcmp(name, "missing_quiet") == 0) missing_quiet(is_mended);
  if (strcmp(name, "missing_barrier") == 0) missing_barrier(is_mended);
  if (strcmp(name, "read_before_signal") == 0) read_before_signal(is_mended);
  if (strcmp(name, "buffer_reused") == 0) buffer_reused(is_mended);
  if (strcmp(name, "atomics_and_puts") == 0) atomics_and_puts(is_mended);
  if (strcmp(name, "all_ways") == 0) all_ways();
  shmem_finalize();
  return 0;
}
