/* The header's place of old. */
#ifndef ARMATURE_COMPAT_SHMEM_MPP_SHMEM_H
#define ARMATURE_COMPAT_SHMEM_MPP_SHMEM_H

#include "../shmem.h"

#endif
