#pragma once

#include <new>

#include "wait/rank_context.hpp"

// A thread that the program has started may be in a call when its process leaves the job. Such a
// call uses what the process gives up then: the network, the rank's context. So these calls are
// counted, and a process that leaves lets no more of them begin and waits until none is under way.
// A transfer goes on to its end, since the other processes still answer: they stay until they have
// heard this one's good-bye, which comes after. A wait for what only other ranks could do throws.
// Transfers within the node that the inlined half makes are not counted: they use nothing but the
// segments, which stay mapped until exit.

namespace armature::wait {

/// A call that any thread may make, from its begin to its end. Threads that run a rank leave the
/// job by themselves and are not counted.
class ThreadCall {
 public:
  /// Throws Error(misuse) naming the call where the process has left its job, or is about to.
  explicit ThreadCall(const char* call) : is_counted_(!runs_rank()) {
    if (is_counted_) [[unlikely]]
      begin(call);
  }
  /// For what must not throw: has not begun where the process has left its job.
  explicit ThreadCall(const std::nothrow_t& /*does_not_throw*/) noexcept
      : is_counted_(!runs_rank() && try_begin()) {}
  ThreadCall(const ThreadCall&) = delete;
  ThreadCall& operator=(const ThreadCall&) = delete;
  ~ThreadCall() {
    if (is_counted_) [[unlikely]]
      end();
  }

  /// Whether the calling thread runs a rank.
  [[nodiscard]] bool is_of_rank() const { return !is_counted_; }
  [[nodiscard]] bool has_begun() const { return is_counted_ || runs_rank(); }

  /// Lets no more of them begin, and returns when none is under way. By the thread that leaves the
  /// job, once all ranks of the process have left it.
  static void end_all();
  /// Whether no more may begin: then a wait that another rank would have to end never ends.
  static bool have_ended();

 private:
  static void begin(const char* call);
  static bool try_begin() noexcept;
  static void end();

  const bool is_counted_;
};

/// Throws Error(misuse) where the calling thread runs no rank and its process leaves the job.
void require_in_job(const char* call);

}  // namespace armature::wait
