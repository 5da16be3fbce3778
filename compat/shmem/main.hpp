#pragma once

namespace shmem {

/// Whether this process's ranks run in shmem_run_main (libarmature-shmem-virtual.a).
[[nodiscard]] bool is_of_main();

/// Has exit() in a process that is a PE do what shmem_finalize does.
void leave_at_exit();

/// Finalizes for a rank whose program has ended without doing so.
void end_rank();

}  // namespace shmem
