/* Extensions of OpenSHMEM, by the names that other implementations have given them. Most have
   become part of the specification by other names. */
#ifndef ARMATURE_COMPAT_SHMEMX_H
#define ARMATURE_COMPAT_SHMEMX_H

#include <time.h>

#include "shmem.h"

/* Seconds since some time, by a clock that nobody sets. */
static inline double shmemx_wtime(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
#ifdef CLOCK_MONOTONIC
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define SHMEMX_TEAM_NODE SHMEM_TEAM_SHARED
#define SHMEMX_MALLOC_NO_BARRIER 0L
#define shmemx_malloc_with_hints shmem_malloc_with_hints
#define shmemx_query_initialized shmem_query_initialized
#define shmemx_signal_add shmem_signal_add
#define shmemx_signal_set shmem_signal_set
#define shmemx_pe_quiet shmem_pe_quiet
#define shmemx_team_ptr shmem_team_ptr

/* Threads need not be told apart. */
static inline void shmemx_register_gettid(uint64_t (*number_of_thread)(void)) {
  (void)number_of_thread;
}

#endif
