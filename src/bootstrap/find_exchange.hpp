#pragma once

#include <memory>

#include "bootstrap/exchange.hpp"

namespace armature::bootstrap {

/// Finds a way to speak with whoever has started this process, if it was not our own launcher:
/// PMIx, else PMI-1, else an MPI that the program has initialised. Returns nullptr when there is
/// none of them: the program was started by itself. Throws Error(start), with what was tried, when
/// a launcher has started several copies of the program and none of the ways leads to it.
std::unique_ptr<Exchange> find_exchange();

}  // namespace armature::bootstrap
