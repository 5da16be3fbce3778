/* The conformance of OpenSHMEM: each test is run by all PEs. */
#include <signal.h>

#include "check.h"

void* fresh(size_t bytes) {
  void* memory = shmem_calloc(bytes, 1);
  CHECK(memory != NULL);
  return memory;
}

static const struct {
  const char* name;
  void (*run)(void);
} tests[] = {{"job", test_job},
             {"memory", test_memory},
             {"puts and gets", test_puts_and_gets},
             {"strides", test_strides},
             {"sizes", test_sizes},
             {"signals", test_signals},
             {"atomics", test_atomics},
             {"old atomics", test_old_atomics},
             {"waiting", test_waiting},
             {"teams", test_teams},
             {"contexts", test_contexts},
             {"collectives", test_collectives},
             {"old collectives", test_old_collectives},
             {"reductions", test_reductions},
             {"old reductions", test_old_reductions},
             {"locks", test_locks},
             {"generics", test_generics},
             {"generics of C++", test_generics_of_cpp}};

/* One PE is killed; the others wait for it. */
static void be_killed(void) {
  long* word = fresh(sizeof(long));
  if (shmem_my_pe() == 1) raise(SIGKILL);
  shmem_long_wait_until(word, SHMEM_CMP_NE, 0);
}

/* One PE ends the job; the others wait for it. */
static void end_all(int status) {
  long* word = fresh(sizeof(long));
  if (shmem_my_pe() == 1) shmem_global_exit(status);
  shmem_long_wait_until(word, SHMEM_CMP_NE, 0);
}

/* The heap is limited to 1 MiB. */
static int fill_heap(void) {
  const size_t half = (size_t)1 << 19;
  char* first = shmem_malloc(half);
  char* second = shmem_malloc(half);
  CHECK(first != NULL && second != NULL);
  CHECK(shmem_malloc(1) == NULL && shmem_calloc(1, 1) == NULL);
  shmem_free(first);
  CHECK(shmem_malloc(2 * half) == NULL && shmem_realloc(second, 2 * half) == NULL);
  CHECK(shmem_malloc(half) == first);
  shmem_finalize();
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "--mistake") == 0) make_mistake(argv[2]);
  int provided = -1, initialized = -1;
  shmem_query_initialized(&initialized);
  if (initialized != 0) return 4;
  if (shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided) != 0) return 5;
  CHECK(provided == SHMEM_THREAD_FUNNELED);
  if (argc == 2 && strcmp(argv[1], "--killed") == 0) be_killed();
  if (argc == 3 && strcmp(argv[1], "--exit") == 0) end_all(atoi(argv[2]));
  if (argc == 2 && strcmp(argv[1], "--fill") == 0) return fill_heap();
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
    if (getenv("SHMEM_TEST_VERBOSE") != NULL && shmem_my_pe() == 0)
      fprintf(stderr, "%s\n", tests[i].name);
    tests[i].run();
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
