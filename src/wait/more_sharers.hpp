#pragma once

namespace armature::wait {

/// Each rank of the job has so many more threads that compute: ranks that wait leave their cores to
/// them, where there are not enough for all. Called behind start_waiting().
void count_more_sharers(int threads_of_rank);
/// How many more they have. They notify ranks of this process, too.
[[nodiscard]] int more_threads_of_rank();

}  // namespace armature::wait
