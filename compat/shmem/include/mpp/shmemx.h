/* The header's place of old. */
#ifndef ARMATURE_COMPAT_SHMEM_MPP_SHMEMX_H
#define ARMATURE_COMPAT_SHMEM_MPP_SHMEMX_H

#include "../shmemx.h"

#endif
