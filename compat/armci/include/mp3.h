/* How programs for ARMCI name their message passing, whichever it is: MPI where there is mpi.h,
   else armci_msg_*, which need none. Came with Global Arrays and with ARMCI-MPI. */
#ifndef ARMATURE_COMPAT_MP3_H
#define ARMATURE_COMPAT_MP3_H

#if !defined(MPI_VERSION) && defined(__has_include)
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif
#endif

#include "armci.h"

#ifdef MPI_VERSION
#define MP_INIT(argc, argv) MPI_Init(&(argc), &(argv))
#define MP_FINALIZE() MPI_Finalize()
#define MP_BARRIER() MPI_Barrier(MPI_COMM_WORLD)
#define MP_PROCS(count) MPI_Comm_size(MPI_COMM_WORLD, (count))
#define MP_MYID(number) MPI_Comm_rank(MPI_COMM_WORLD, (number))
#define MP_TIMER MPI_Wtime
#define MP_ASSERT(call)                                               \
  do {                                                                \
    const int mp_code_ = (call);                                      \
    if (mp_code_ != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, mp_code_); \
  } while (0)
#else
#define MP_INIT(argc, argv) armci_msg_init(&(argc), &(argv))
#define MP_FINALIZE() armci_msg_finalize()
#define MP_BARRIER() armci_msg_barrier()
#define MP_PROCS(count) ((void)(*(count) = armci_msg_nproc()))
#define MP_MYID(number) ((void)(*(number) = armci_msg_me()))
#define MP_TIMER armci_timer
#define MP_ASSERT(call) (call) /* what fails ends the job */
#endif

#define ARMCI_INIT(argc, argv) ARMCI_Init_args(&(argc), &(argv))

#endif
