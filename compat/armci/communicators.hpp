#pragma once

#include <cstdint>

#include <armature/team.hpp>
#include <armature/world.hpp>

// The part of MPI in ARMCI: each group has a communicator, which also stands in the first eight
// bytes of the caller's struct, where that flavour's header has it. This library is compiled
// without an mpi.h; it finds the program's MPI when it runs. A communicator here is the bits of an
// MPI_Comm.

namespace armci {

/// Whether the library was made for programs that use MPI: then the job is MPI's, or it is an
/// error. The plain one's programs may have an MPI that knows nothing of the job.
extern const bool made_for_mpi;

/// The job, as the program's MPI knows it where there is one.
armature::World& join_with_mpi();

std::uintptr_t world_communicator();
/// Collective over the team.
std::uintptr_t make_communicator(const armature::Team& team);
void release_communicator(std::uintptr_t communicator);
/// MPI_COMM_NULL; 0 where there is no MPI.
std::uintptr_t no_communicator();

}  // namespace armci
