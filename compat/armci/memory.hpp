#pragma once

namespace armci {

/// Lets go of the list of what ARMCI_Malloc gave; the memory goes with the job.
void forget_allocations();

}  // namespace armci
