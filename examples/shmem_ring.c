/* A number goes round all PEs, by put and signal: each adds one and passes it on. The line is
   printed where it has come back to. */
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes(), next = (me + 1) % pes;
  long* number = (long*)shmem_calloc(1, sizeof(long));
  uint64_t* arrived = (uint64_t*)shmem_calloc(1, sizeof(uint64_t));

  if (me != 0) shmem_signal_wait_until(arrived, SHMEM_CMP_EQ, 1);
  const long mine = me == 0 ? 1 : *number + 1;
  shmem_long_put_signal(number, &mine, 1, arrived, 1, SHMEM_SIGNAL_SET, next);
  if (me == 0) {
    shmem_signal_wait_until(arrived, SHMEM_CMP_EQ, 1);
    printf("a number went round %ld PEs\n", *number);
  }

  shmem_free(arrived);
  shmem_free(number);
  shmem_finalize();
  return 0;
}
