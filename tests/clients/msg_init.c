/* A program that calls MPI right after armci_msg_init, which initialises it here; or, compiled with
   INITIALISES_MPI, one that has initialised it before, and ends it itself. With an argument it does
   without MPI, which some other launcher's processes have not. */
#include <mpi.h>
#include <stdio.h>

#include "armcix.h"
#include "message.h"

static int me, nproc, wrong;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ++wrong;                                                                \
      fprintf(stderr, "%d: line %d: not so: %s\n", me, __LINE__, #condition); \
    }                                                                         \
  } while (0)

static int mpi_says(int (*question)(int*)) {
  int answer = 0;
  question(&answer);
  return answer;
}

static void expect_mpi(void) {
  int size = 0, rank = -1, one = 1, sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT(size == nproc && rank == me);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == nproc);
}

/* ARMCI serves no more than the program's MPI was initialised for. */
static void expect_level(void) {
  int of_mpi = -1, level = -1;
  MPI_Query_thread(&of_mpi);
  EXPECT(ARMCIX_Query_thread(&level) == 0);
  EXPECT(level == of_mpi);
  EXPECT(ARMCI_Init_thread(level) == 0 && ARMCI_Finalize() == 0);
  EXPECT(ARMCI_Init_thread(level + 1) != 0);
}

int main(int argc, char** argv) {
#ifdef INITIALISES_MPI
  const int is_ours = 0;
  MPI_Init(&argc, &argv);
#else
  const int is_ours = 1;
#endif
  armci_msg_init(&argc, &argv);
  me = armci_msg_me();
  nproc = armci_msg_nproc();
  const int has_mpi = argc == 1;
  EXPECT(mpi_says(MPI_Initialized) == has_mpi);
  EXPECT(ARMCI_Init_args(&argc, &argv) == 0);
  if (has_mpi) {
    ARMCI_Group world;
    expect_mpi();
    expect_level();
    ARMCI_Group_get_world(&world);
    EXPECT(armci_group_comm(&world) != MPI_COMM_NULL);
  }
  ARMCI_Finalize();
  armci_msg_igop(&wrong, 1, "+");
  armci_msg_finalize();
  if (has_mpi) EXPECT(mpi_says(MPI_Finalized) == is_ours);
  if (me == 0 && wrong == 0) printf("everything is right\n");
  if (has_mpi && !is_ours) MPI_Finalize();
  return wrong != 0;
}
