#pragma once

namespace shmem {

/// Whether this process's ranks run in shmem_run_main (libarmature-shmem-virtual.a).
[[nodiscard]] bool is_of_main();

/// Finalizes for a rank whose program has ended without doing so.
void end_rank();

}  // namespace shmem
