#pragma once

#include <armature/team.hpp>

#include "shmem.h"

namespace shmem {

/// Completes all that the caller has begun, at all PEs.
void complete_all();
void fence(shmem_ctx_t ctx);
void quiet(shmem_ctx_t ctx);
void pe_quiet(shmem_ctx_t ctx, int pe);
void barrier_all();
/// Waits for all members, and completes nothing.
void sync(const armature::Team& team);

}  // namespace shmem
