/* The twins of the routines, for profilers: shmem.h declares them. */
#ifndef ARMATURE_COMPAT_SHMEM_PSHMEM_H
#define ARMATURE_COMPAT_SHMEM_PSHMEM_H

#include "shmem.h"

#endif
