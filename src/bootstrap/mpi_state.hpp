#pragma once

namespace armature::bootstrap {

enum class MpiState {
  not_initialised,  // or there is no MPI in this process
  initialised,
  finalised,
};

/// The state of the MPI that the program is linked with, if any. Found at run time: the library
/// itself knows no MPI.
MpiState mpi_state();

/// The address of a function or variable of that MPI, or nullptr: a plain dlsym, and, where the MPI
/// was loaded privately (as Python's mpi4py does), in its library.
void* mpi_symbol(const char* name);

}  // namespace armature::bootstrap
