/* Extensions of OpenSHMEM: there are none yet. Programs that include the header compile. */
#ifndef ARMATURE_COMPAT_SHMEMX_H
#define ARMATURE_COMPAT_SHMEMX_H

#include "shmem.h"

#endif
