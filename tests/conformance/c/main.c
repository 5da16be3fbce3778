/* Runs all tests, or those whose name contains the argument, or one case that is to end the job;
   with --serialized all of them by threads that take turns; with --multiple those of threads that
   take none. */
#include <pthread.h>

#include "harness.h"

int failures;

static const test_case* const suites[] = {
    contiguous_tests, value_tests,       accumulate_tests,   strided_tests,   section_tests,
    vector_tests,     nonblocking_tests, atomic_tests,       mutex_tests,     order_tests,
    group_tests,      collective_tests,  operation_tests,    selection_tests, message_tests,
    memory_tests,     locality_tests,    bad_transfer_tests, bad_call_tests,
};

void note_failure(const char* file, int line, const char* what, double got, double wanted) {
  ++failures;
  if (failures <= 20)
    fprintf(stderr, "%d: %s:%d: %s: %.17g, not %.17g\n", me, file, line, what, got, wanted);
}

pieces make_pieces(size_t bytes) {
  pieces p = {calloc((size_t)nproc, sizeof(void*))};
  if (p.at == NULL || ARMCI_Malloc(p.at, (armci_size_t)bytes) != 0)
    ARMCI_Error("the test has no memory", 1);
  if (bytes > 0) memset(p.at[me], 0, bytes);
  ARMCI_Barrier();
  return p;
}

void drop(pieces p) {
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_Free(p.at[me]), 0);
  free(p.at);
}

/* Returns 1 if it failed anywhere. */
static int run_test(const test_case* test) {
  const int before = failures;
  test->run();
  int failed = failures - before;
  armci_msg_igop(&failed, 1, "+");
  if (me == 0) printf("%s %s\n", failed ? "FAILED" : "ok    ", test->name);
  return failed != 0;
}

static void* run_in_thread(void* argument) {
  const test_case* test = argument;
  return run_test(test) ? argument : NULL;
}

/* Each test is another thread's. */
static int run_serialized(void) {
  int failed = 0, level = -1;
  CHECK_EQUAL(ARMCI_Init_thread(2), 0);
  CHECK(ARMCIX_Query_thread(&level) == 0 && level >= 2);
  for (size_t s = 0; s < sizeof suites / sizeof *suites; ++s)
    for (const test_case* test = suites[s]; test->name != NULL; ++test) {
      pthread_t thread;
      void* result = NULL;
      if (strstr(test->name, "again and again") != NULL) continue;   /* ends ARMCI, for once */
      if (strstr(test->name, "levels of threads") != NULL) continue; /* the own thread's to ask */
      pthread_create(&thread, NULL, run_in_thread, (void*)(size_t)test);
      pthread_join(thread, &result);
      failed += result != NULL;
    }
  ARMCI_Finalize();
  ARMCI_Finalize();
  return failed + failures;
}

/* Threads of each test call at any time. */
static int run_multiple(void) {
  int failed = 0, level = -1;
  CHECK_EQUAL(ARMCI_Init_thread(3), 0);
  CHECK(ARMCIX_Query_thread(&level) == 0 && level == 3);
  for (const test_case* test = thread_tests; test->name != NULL; ++test) failed += run_test(test);
  ARMCI_Finalize();
  ARMCI_Finalize();
  return failed + failures;
}

static int run_fatal(const char* name) {
  for (const test_case* test = fatal_cases; test->name != NULL; ++test)
    if (strcmp(test->name, name) == 0) test->run();
  fprintf(stderr, "survived: %s\n", name);
  return 3;
}

int main(int argc, char** argv) {
  if (ARMCI_Init_args(&argc, &argv) != 0) return 2;
  if (argc == 3 && strcmp(argv[1], "--fatal") == 0) return run_fatal(argv[2]);
  if (argc == 2 && strcmp(argv[1], "--list-fatal") == 0) {
    for (const test_case* test = fatal_cases; test->name != NULL && me == 0; ++test)
      puts(test->name);
    return ARMCI_Finalize();
  }

  if (argc == 2 && strcmp(argv[1], "--serialized") == 0) return run_serialized();

  if (argc == 2 && strcmp(argv[1], "--multiple") == 0) return run_multiple();

  const char* wanted = argc > 1 ? argv[1] : "";
  int run = 0, failed = 0;
  for (size_t s = 0; s < sizeof suites / sizeof *suites; ++s)
    for (const test_case* test = suites[s]; test->name != NULL; ++test) {
      if (strstr(test->name, wanted) == NULL) continue;
      ++run;
      failed += run_test(test);
    }
  if (me == 0) printf("%d tests on %d processes, %d failed\n", run, nproc, failed);
  ARMCI_Finalize();
  return failed != 0 || run == 0;
}
