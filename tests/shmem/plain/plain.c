/* Loads and stores of the program itself, compiled by `oshcc --races`: `plain load|store|orders`.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long box[8];
static uint64_t arrived;

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  shmem_init();
  const int me = shmem_my_pe();
  long* const heap = shmem_malloc(8 * sizeof(long));
  for (int i = 0; i < 8; ++i) heap[i] = box[i] = 0;
  shmem_barrier_all();
  const long value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  if (strcmp(what, "load") == 0) {
    if (me == 0) shmem_long_put_signal(box, value, 8, &arrived, 1, SHMEM_SIGNAL_SET, 1);
    if (me == 1) {
      printf("too early: %ld\n", box[2]);
      shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);
    }
  } else if (strcmp(what, "store") == 0) {
    if (me == 0) shmem_long_put(heap, value, 8, 1);
    if (me == 1) heap[5] = 9;
  } else {
    for (long turn = 1; turn <= 3; ++turn) {
      if (me == 0) shmem_long_put_signal(box, value, 8, &arrived, 1, SHMEM_SIGNAL_ADD, 1);
      if (me == 1) {
        shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, (uint64_t)turn);
        for (int i = 0; i < 8; ++i) {
          if (box[i] != i + 1) abort();
          box[i] = heap[i] = 0;
        }
      }
      shmem_barrier_all();
      if (me == 0) shmem_long_put(heap, value, 8, 1);
      shmem_barrier_all();
      if (me == 1 && heap[7] != 8) abort();
      shmem_barrier_all();
    }
  }
  shmem_barrier_all();
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
