#pragma once

#include <memory>
#include <string>

#include "bootstrap/exchange.hpp"

namespace armature::bootstrap {

/// PMIx, as Open MPI's mpirun, prterun and srun --mpi=pmix offer it. Its library is loaded when
/// there is such a launcher, never linked: an Open MPI in this process may bring another one.
/// Returns nullptr, and why, when there is no launcher or the library cannot be had.
std::unique_ptr<Exchange> open_pmix(std::string& why_not);

}  // namespace armature::bootstrap
