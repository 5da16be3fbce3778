#pragma once

#include <memory>
#include <string>

#include "bootstrap/exchange.hpp"

namespace armature::bootstrap {

/// The processes of MPI_COMM_WORLD, when the program has initialised an MPI: Open MPI or one of the
/// MPICH family. Their handles are told apart by what the library says of itself; mpi.h is not
/// needed. Returns nullptr, and why, when there is none, or one that is not known.
std::unique_ptr<Exchange> open_mpi(std::string& why_not);

/// Opens the communicator that this points to; collective over its processes.
std::unique_ptr<Exchange> open_mpi(const void* communicator, std::string& why_not);

/// The bytes of a handle of the MPI that is initialised here, if we know it; else 0.
int mpi_handle_bytes();

/// How many processes MPI_COMM_WORLD has; 0 unless an MPI we know is initialised here.
int mpi_processes();

}  // namespace armature::bootstrap
