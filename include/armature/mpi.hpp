#pragma once

#include "armature/detail/export.hpp"
#include "armature/world.hpp"

namespace armature {

/// Joins as init, in programs that use MPI: the job is the processes of a communicator, numbered as
/// there, whatever has started them. `communicator` points to an MPI_Comm of the MPI that the
/// program has initialised: Open MPI or one of the MPICH family, which this header need not know.
/// Collective over it; it may be freed afterwards. Does nothing when the job has been joined.
/// Throws Error(start) when no MPI that is known is initialised, or when `armature run` has started
/// the process in another job than MPI says.
ARMATURE_API World& init_mpi(const void* communicator);

/// How large the handles of that MPI are (an MPI_Comm): 8 in Open MPI, 4 in the MPICH family; 0
/// when none that is known is initialised.
ARMATURE_API int mpi_handle_bytes();

/// The address of a function or variable of the program's MPI, also of one that was loaded
/// privately (RTLD_LOCAL); nullptr where there is none.
[[nodiscard]] ARMATURE_API void* mpi_symbol(const char* name);

}  // namespace armature
