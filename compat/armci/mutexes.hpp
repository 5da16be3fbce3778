#pragma once

namespace armci {

/// The end of ARMCI is the end of the set that ARMCI_Create_mutexes made.
void forget_mutexes();

}  // namespace armci
