#include "check.h"

void test_job(void) {
  int major = 0, minor = 0, threads = -1, initialized = 0;
  char name[SHMEM_MAX_NAME_LEN];
  shmem_info_get_version(&major, &minor);
  CHECK(major == 1 && minor == 6);
  shmem_info_get_name(name);
  CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0);
  shmem_query_thread(&threads);
  CHECK(threads == SHMEM_THREAD_FUNNELED);
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &threads) == 0 && threads == MOST_THREADS);
  shmem_finalize();
  shmem_query_thread(&threads);
  CHECK(threads == MOST_THREADS);
  shmem_pcontrol(0, "and more", 2);

  /* Repeated init, matched by as many finalizes. */
  shmem_init();
  start_pes(0);
  shmem_query_initialized(&initialized);
  CHECK(initialized == 2);
  shmem_finalize();
  CHECK(shmem_my_pe() == _my_pe() && shmem_n_pes() == _num_pes());
  CHECK(shmem_pe_accessible(0) && !shmem_pe_accessible(shmem_n_pes()) && !shmem_pe_accessible(-1));
  shmem_set_cache_inv();
  shmem_clear_cache_inv();
  shmem_udcflush();
  shmem_set_cache_line_inv(name);
  shmem_clear_cache_line_inv(name);
  shmem_udcflush_line(name);
}

void test_memory(void) {
  const int pes = shmem_n_pes(), next = (shmem_my_pe() + 1) % pes;
  CHECK(shmem_malloc(0) == NULL && shmem_calloc(0, 8) == NULL);
  shmem_free(NULL);
  long* a = shmem_malloc(100 * sizeof(long));
  long* b = shmem_malloc_with_hints(sizeof(long), SHMEM_MALLOC_ATOMICS_REMOTE);
  char* c = shmem_align(8192, 10);
  CHECK(a != NULL && b != NULL && c != NULL && (size_t)c % 8192 == 0);
  for (long i = 0; i < 100; ++i) a[i] = i;
  a = shmem_realloc(a, 100000 * sizeof(long));
  for (long i = 0; i < 100; ++i) CHECK(a[i] == i);
  a[99999] = 0;
  a = shmem_realloc(a, 8);
  CHECK(a != NULL);
  long* d = shmem_calloc(1000, sizeof(long));
  for (int i = 0; i < 1000; ++i) CHECK(d[i] == 0);
  CHECK(shmem_addr_accessible(d, next) && !shmem_addr_accessible(&d, next));

  /* The heap grows: more than its first block. */
  char* large = shmem_malloc((size_t)100 << 20);
  CHECK(large != NULL);
  large[((size_t)100 << 20) - 1] = 1;
  shmem_char_p(large, 42, next);
  shmem_barrier_all();
  CHECK(large[0] == 42);
  shmem_free(large);

  long* there = shmem_ptr(d, next);
  if (there != NULL) *there = 5;
  CHECK((shmem_team_ptr(SHMEM_TEAM_WORLD, d, next) != NULL) == (there != NULL));
  CHECK(shmem_ptr(d, shmem_my_pe()) == d && shmem_ptr(&d, next) == NULL);
  shmem_barrier_all();
  CHECK(d[0] == (shmem_ptr(d, (shmem_my_pe() + pes - 1) % pes) != NULL ? 5 : 0));
  shmem_free(a), shmem_free(b), shmem_free(c), shmem_free(d);

  long* old = shmalloc(8);
  old = shrealloc(old, 800);
  long* aligned = shmemalign(256, 8);
  CHECK(old != NULL && (size_t)aligned % 256 == 0);
  shfree(aligned), shfree(old);
}
