#pragma once

#include <atomic>
#include <mutex>

#include "transport/links.hpp"

namespace armature::net {

/// By which a rank that polls keeps the progress thread asleep: the descriptor that the thread
/// sleeps on, in which the engine's is switched off and on again, and a timer for what the rank
/// leaves to be done when it polls no more.
class ThreadSuppression {
 public:
  explicit ThreadSuppression(transport::Links& links) : links_(links) {}
  ThreadSuppression(const ThreadSuppression&) = delete;
  ThreadSuppression& operator=(const ThreadSuppression&) = delete;
  ~ThreadSuppression();

  /// Before the thread begins. The kernel allows few descriptors within descriptors: without them
  /// the thread hears all.
  void open();
  /// In place of it, where the thread polls: it looks at the flag itself.
  void use_flag_alone() { is_flag_alone_ = true; }

  [[nodiscard]] bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  /// A rank polls from now on, until resume(). False when the thread hears all the same.
  [[nodiscard]] bool suppress();
  /// By whoever stops polling, also for a while. What is left to be done is done a little later.
  void resume() {
    if (is_on()) end();
    if (leaves_something()) do_rest_later();
  }
  /// By who has polled once, and may not do so again: what is left is done a little later, unless
  /// another rank polls.
  void polled_once() {
    if (!is_on() && leaves_something()) do_rest_later();
  }
  /// Whether there is something that a rank must look at again soon, which the thread does when the
  /// rank polls no more.
  void found_more(bool more) {
    if (more_.load(std::memory_order_relaxed) != more) more_.store(more, std::memory_order_relaxed);
  }

  // By the thread: descriptors to sleep on.
  [[nodiscard]] int engine() const { return epoll_ >= 0 ? epoll_ : links_.engine().descriptor(); }
  [[nodiscard]] int timer() const { return later_; }
  /// It was woken by the timer.
  void take_timer();

 private:
  [[nodiscard]] bool make_descriptors();
  void end();
  [[nodiscard]] bool leaves_something() const;
  void do_rest_later();

  transport::Links& links_;
  bool is_flag_alone_ = false;  // set before the thread begins
  std::atomic<bool> more_{false};
  std::atomic<bool> is_on_{false};  // written under the lock, with what it says
  std::mutex lock_;
  int epoll_ = -1;  // readable when the engine's descriptor is, unless switched off
  int later_ = -1;  // a timer, for what is left to be done when a rank polls no more
  std::atomic<bool> is_set_{false};  // that one
};

}  // namespace armature::net
