#pragma once

#include <memory>
#include <string>

#include "bootstrap/exchange.hpp"

namespace armature::bootstrap {

/// PMI-1 as MPICH's hydra and srun --mpi=pmi2 speak it: lines of text over the descriptor PMI_FD.
/// An MPI in this process uses the same descriptor. Each request is answered before the next, so
/// the two do not mix as long as they do not call at the same time. Returns nullptr, and why, when
/// there is no such launcher. Throws Error(start) when it answers with something else.
std::unique_ptr<Exchange> open_pmi1(std::string& why_not);

/// The farewell of a process that has spoken over PMI_FD and cannot say it any more, by one that
/// has inherited that descriptor. Not by an exchange of its own: Slurm's server takes one `init`
/// only. Waits a moment for the answer.
void say_pmi1_farewell();

}  // namespace armature::bootstrap
