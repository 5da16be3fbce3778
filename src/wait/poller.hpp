#pragma once

#include "base/runtime.hpp"

// The network, as those who wait see it. Someone must take in what comes from other nodes, and
// while a rank does, the network's own thread had better not wake up.

namespace armature::wait {

/// Told by a rank to the network's progress thread: what the rank does itself.
class ProgressControl {
 public:
  ProgressControl() = default;
  ProgressControl(const ProgressControl&) = delete;
  ProgressControl& operator=(const ProgressControl&) = delete;
  virtual ~ProgressControl() = default;

  /// The calling rank has polled without having said so before, and may not do so again.
  virtual void polled_once() = 0;
  /// The calling rank computes from now on while something comes for it.
  virtual void leave_to_thread() = 0;
  /// The calling rank computes from now on, and the thread is to look at once: nothing that comes
  /// from other nodes wakes it for what there is to do.
  virtual void look_now() = 0;
  /// Told when the rank is parked, or all virtual ranks of the process are; and when it is not any
  /// more. The thread may run on its core meanwhile.
  virtual void rank_parks() = 0;
  virtual void rank_resumes() = 0;
  /// Told that the rank polls without a pause, until resume(); false: the thread looks all the
  /// same.
  [[nodiscard]] virtual bool suppress() = 0;
  virtual void resume() = 0;
};

class Poller {
 public:
  Poller() = default;
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  virtual ~Poller() = default;

  /// Handles what has come, unless another thread is at it; whether there was something. Never
  /// blocks.
  virtual bool try_poll() = 0;
  /// The calling rank has left something for that rank of another node where it finds it on its
  /// own: to be sent.
  virtual void doorbell(int rank) = 0;
  [[nodiscard]] virtual ProgressControl& thread() = 0;
};

namespace detail {
extern constinit Poller* the_poller;  // of the process's own runtime
// The poller of the calling thread's runtime, where that is another one.
[[gnu::noinline, gnu::cold]] Poller*& poller_beside();
}  // namespace detail

/// The calling thread's runtime's; nullptr where the job has one node.
inline Poller* poller() {
  if (!base::has_extras()) [[likely]]
    return nullptr;
  return base::Runtime::is_of_process() ? detail::the_poller : detail::poller_beside();
}
/// Called by net/ alone, while no rank of this process waits.
void set_poller(Poller* poller);

}  // namespace armature::wait
