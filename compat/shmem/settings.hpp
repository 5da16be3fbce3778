#pragma once

namespace shmem {

/// The value of the variable SHMEM_<name>, or of SMA_<name>, as it was called of old (OpenSHMEM
/// 1.6, 8). nullptr: it is not set.
[[nodiscard]] const char* setting(const char* name);

}  // namespace shmem
