#pragma once

#include <utility>

// Collective calls of a process are carried out one at a time. Where its threads may call at any
// time (MPI_THREAD_MULTIPLE) a lock sees to that. All other calls may be made at one time.

namespace armci {

/// From now on threads of the process call at any time. By the thread that joins the job.
void let_threads_call();
/// Whether they do.
bool threads_call();

/// The process's turn at collective calls, for one thread of it.
class Turn {
 public:
  Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

 private:
  const bool is_held_;
};

/// Makes a body that has the turn while it runs.
template <class Body>
auto in_turn(Body&& body) {
  return [body = std::forward<Body>(body)]() mutable {
    const Turn turn;
    return body();
  };
}

}  // namespace armci
