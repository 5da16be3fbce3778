/* The twins of the routines, for profilers: shmem.h declares them. */
#ifndef ARMATURE_COMPAT_SHMEM_PSHMEM_H
#define ARMATURE_COMPAT_SHMEM_PSHMEM_H

/* A profiler defines the routines that programs have inlined. */
#ifndef SHMEM_NO_INLINE
#define SHMEM_NO_INLINE
#endif
#include "shmem.h"

#endif
