#pragma once

// Levels tell which threads of the program may call: as MPI_Init_thread has it, by MPI's numbers.

namespace armci {

enum ThreadLevel : int { single = 0, funneled = 1, serialized = 2, multiple = 3 };

/// The level that any program may have at most.
inline constexpr int thread_level_max = multiple;

/// Returns the level that this program has. Its MPI, which makes the communicators of groups, may
/// allow less. Ranks that share a process have no thread but their own.
[[nodiscard]] int served_thread_level();

/// Throws Error(misuse) where more is asked for, Error(bad_argument) for what is no level.
void require_thread_level(int requested);

}  // namespace armci
