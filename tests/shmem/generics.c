#include <limits.h>

#include "check.h"
#include "generic_forms.h"

void test_generics(void) { generic_forms(); }

/* Mistakes, of which each ends the job. */
void make_mistake(const char* name) {
  static long variable;
  long on_stack = 0;
  if (strcmp(name, "before_init") == 0) (void)shmem_malloc(8);
  shmem_init();
  long* word = fresh(sizeof(long));
  if (strcmp(name, "held_by_other") == 0) {
    if (shmem_my_pe() != 0) shmem_set_lock(word);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) shmem_clear_lock(word);
  }
  if (strcmp(name, "circle_of_sets") == 0) {
    /* Sets {0, 1}, {1, 2} and {0, 2}: each PE is in one of them first, and none of these is
     * complete. */
    const int me = shmem_my_pe();
    for (int turn = 0; turn < 4; ++turn) {
      shmem_barrier(0, 0, 3, word);
      if (turn < 3 && me < 2) shmem_barrier(0, 0, 2, word);
      if (turn < 3 && me > 0) shmem_barrier(1, 0, 2, word);
      if (turn < 3 && me != 1) shmem_barrier(0, 1, 2, word);
    }
    if (me == 0) shmem_barrier(0, 0, 2, word);
    if (me == 1) shmem_barrier(1, 0, 2, word);
    if (me == 2) shmem_barrier(0, 1, 2, word);
  }
  if (strcmp(name, "overlapping_sets") == 0) shmem_barrier(0, 0, shmem_my_pe() == 0 ? 2 : 3, word);
  if (shmem_my_pe() == 0) {
    if (strcmp(name, "set_twice") == 0) shmem_set_lock(word), shmem_set_lock(word);
    if (strcmp(name, "static_object") == 0) shmem_long_p(&variable, 1, 1);
    if (strcmp(name, "local_object") == 0) shmem_long_p(&on_stack, 1, 1);
    if (strcmp(name, "bad_pe") == 0) shmem_long_p(word, 1, 99);
    if (strcmp(name, "pe_below") == 0) (void)shmem_long_g(word, -1);
    if (strcmp(name, "pe_least") == 0) shmem_long_atomic_inc(word, INT_MIN);
    if (strcmp(name, "misaligned") == 0)
      (void)shmem_long_atomic_fetch_add((long*)((char*)word + 3), 1, 1);
    if (strcmp(name, "behind_heap") == 0)
      shmem_putmem((char*)word + (1L << 40), word, sizeof *word, 1);
    if (strcmp(name, "bad_free") == 0) shmem_free(word + 1);
    if (strcmp(name, "bad_cmp") == 0) shmem_long_wait_until(word, 77, 0);
    if (strcmp(name, "not_held") == 0) shmem_clear_lock(word);
    if (strcmp(name, "bad_set") == 0) shmem_barrier(0, 0, 9, word);
  }
  shmem_barrier_all();
  shmem_finalize();
  exit(0);
}
