/* libarmci-openmpi and libarmci-mpich have calls beside those of libarmci. The job is a
   communicator that numbers the processes backwards, and leaves the last one out where there are
   more than two. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "armci.h"
#include "message.h"

static int me, nproc, wrong;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ++wrong;                                                                \
      fprintf(stderr, "%d: line %d: not so: %s\n", me, __LINE__, #condition); \
    }                                                                         \
  } while (0)

static void expect_communicator(ARMCI_Group* group, int size, int rank) {
  MPI_Comm communicator = armci_group_comm(group), in_struct;
  int mpi_size = -1, mpi_rank = -1, sum = 0, one = 1;
  MPI_Comm_size(communicator, &mpi_size);
  MPI_Comm_rank(communicator, &mpi_rank);
  EXPECT(mpi_size == size && mpi_rank == rank);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, communicator);
  EXPECT(sum == size);
  in_struct = *(MPI_Comm*)group; /* where that MPI's flavour of the struct has it */
  EXPECT(in_struct == communicator);
}

static void test_groups(void) {
  ARMCI_Group world, half, copy;
  int members[64], count = 0, rank = -1;
  ARMCI_Group_get_world(&world);
  expect_communicator(&world, nproc, me);
  for (int i = me % 2; i < nproc; i += 2) members[count++] = i;
  for (int round = 0; round < 3; ++round) {
    ARMCI_Group_create(count, members, &half);
    copy = half;
    ARMCI_Group_rank(&copy, &rank);
    expect_communicator(&copy, count, rank);
    ARMCI_Group_set_default(&half);
    ARMCI_Group_get_default(&copy);
    expect_communicator(&copy, count, rank);
    ARMCI_Group_set_default(&world);
    ARMCI_Group_free(&half);
    EXPECT(armci_group_comm(&half) == MPI_COMM_NULL);
  }
}

static void test_transfers(void) {
  void* pieces[64];
  const int right = (me + 1) % nproc, left = (me + nproc - 1) % nproc;
  long sent = 1000 + me;
  EXPECT(ARMCI_Malloc(pieces, sizeof(long)) == 0);
  for (int round = 0; round < 20; ++round) {
    EXPECT(ARMCI_Put(&sent, pieces[right], sizeof sent, right) == 0);
    ARMCI_Barrier();
    EXPECT(*(long*)pieces[me] == 1000 + left + 100 * round);
    sent += 100;
    ARMCI_Barrier();
  }
  EXPECT(ARMCI_Free(pieces[me]) == 0);
}

int main(int argc, char** argv) {
  int mpi_rank, mpi_size;
  MPI_Comm ours;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &mpi_size);
  const int outside = mpi_size > 2 && mpi_rank == mpi_size - 1;
  MPI_Comm_split(MPI_COMM_WORLD, outside, -mpi_rank, &ours);
  EXPECT(ARMCI_Init_mpi_comm(ours) == 0);
  me = armci_msg_me();
  nproc = armci_msg_nproc();
  MPI_Comm_rank(ours, &mpi_rank);
  MPI_Comm_size(ours, &mpi_size);
  EXPECT(me == mpi_rank && nproc == mpi_size);
  MPI_Comm_free(&ours);
  test_groups();
  test_transfers();
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
  if (mpi_rank == 0 && all == 0) printf("everything is right\n");
  ARMCI_Finalize();
  MPI_Finalize();
  return all != 0;
}
