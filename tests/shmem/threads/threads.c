/* SHMEM_THREAD_MULTIPLE: threads of a PE transfer, wait, lock and use contexts of their own at one
   time, while one of them calls collectives. */
#include <pthread.h>

#include "../require.h"

enum { THREADS = 4, ROUNDS = 200, WORDS = 32 };

static long box[THREADS][WORDS], spare[THREADS], flag[THREADS], counter, locked_sum, locks[THREADS],
    total[1], one[1];
static uint64_t arrived[THREADS];
static int me, pes;
static pthread_barrier_t all_threads;

static void meet(int number) {
  /* One thread calls for the PE; the others wait for it outside of the library. */
  pthread_barrier_wait(&all_threads);
  if (number == 0) shmem_barrier_all();
  pthread_barrier_wait(&all_threads);
}

static void* run_thread(void* argument) {
  const int number = (int)(intptr_t)argument, next = (me + 1) % pes, before = (me + pes - 1) % pes;
  shmem_ctx_t context = SHMEM_CTX_DEFAULT;
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) == 0);
  for (long round = 1; round <= ROUNDS; ++round) {
    long mine[WORDS];
    for (int i = 0; i < WORDS; ++i) mine[i] = 100000 * me + 100 * round + number;
    /* data, a fence of the thread's context, and a flag that the same thread of the next PE waits
     * for */
    shmem_ctx_long_put(context, box[number], mine, WORDS, next);
    shmem_ctx_fence(context);
    shmem_ctx_long_p(context, &flag[number], round, next);
    shmem_long_wait_until(&flag[number], SHMEM_CMP_GE, round);
    for (int i = 0; i < WORDS; ++i) CHECK(box[number][i] == 100000 * before + 100 * round + number);
    /* what is read before is not overwritten: the next one says that it has read */
    shmem_ctx_signal_add(context, &arrived[number], 1, before);
    shmem_signal_wait_until(&arrived[number], SHMEM_CMP_GE, (uint64_t)round);
    shmem_ctx_long_atomic_inc(context, &counter, (int)(round % pes));
    long copy = 0;
    shmem_ctx_long_get_nbi(context, &copy, &flag[number], 1, me);
    shmem_ctx_quiet(context);
    CHECK(copy >= round);
    if (round % 50 == 0) {
      shmem_set_lock(&locks[number]);
      shmem_long_p(&spare[number], round, me);
      shmem_clear_lock(&locks[number]);
    }
    if (number == 0 && round % 20 == 0) {
      /* A collective, while the other threads go on. */
      one[0] = 1;
      CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, total, one, 1) == 0 && total[0] == pes);
    }
  }
  shmem_ctx_destroy(context);
  meet(number);
  /* A lock that threads of all PEs contend for, one of each PE at a time. */
  for (int turn = 0; turn < THREADS; ++turn) {
    if (turn == number)
      for (int i = 0; i < 20; ++i) {
        shmem_set_lock(&locks[0]);
        shmem_long_p(&locked_sum, shmem_long_g(&locked_sum, 0) + 1, 0);
        shmem_clear_lock(&locks[0]);
      }
    pthread_barrier_wait(&all_threads);
  }
  meet(number);
  return NULL;
}

int main(void) {
  int provided = -1;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0 &&
        provided == SHMEM_THREAD_MULTIPLE);
  /* Nobody's definition takes a routine's place, so inlined routines know the way to PEs. */
  CHECK(shmem_direct_way.shmem_to_first != (uintptr_t)1 << 62);
  me = shmem_my_pe();
  pes = shmem_n_pes();
  pthread_barrier_init(&all_threads, NULL, THREADS);
  pthread_t threads[THREADS];
  for (intptr_t i = 1; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, run_thread, (void*)i) == 0);
  run_thread((void*)0);
  for (int i = 1; i < THREADS; ++i) pthread_join(threads[i], NULL);
  long sum = 0;
  for (int pe = 0; pe < pes; ++pe) sum += shmem_long_g(&counter, pe);
  CHECK(sum == (long)pes * THREADS * ROUNDS);
  CHECK(shmem_long_g(&locked_sum, 0) == (long)pes * THREADS * 20);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
