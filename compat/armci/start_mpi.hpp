#pragma once

#include <string>

// Programs of old call MPI right after armci_msg_init, which was a call of MPI_Init where ARMCI
// stood on MPI. So here it starts the program's MPI, whichever that is, but only where that MPI's
// launcher has started the process. Elsewhere each process would be an MPI world of its own, and
// the program would take itself for as many jobs.

namespace armci {

/// Starts the program's MPI, if it has one that is not initialised. Returns why it did not; nothing
/// where there is nothing to say. Throws Error(misuse) when MPI fails.
[[nodiscard]] std::string start_mpi(int* argc, char*** argv);

/// Ends the MPI that start_mpi has started, unless the program has done so.
void end_mpi();

/// The level of MPI_Query_thread, or `otherwise` where no MPI is initialised.
[[nodiscard]] int mpi_thread_level(int otherwise);

}  // namespace armci
