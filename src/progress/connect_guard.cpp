#include "progress/connect_guard.hpp"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <utility>

namespace armature::progress {

ConnectGuard::ConnectGuard(std::uint64_t patience_ns, std::function<void(int process)> give_up)
    : patience_ns_(patience_ns), give_up_(std::move(give_up)) {
  // Signals are the program's: its own threads take them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ConnectGuard::~ConnectGuard() {
  {
    const std::lock_guard held(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ConnectGuard::watch(int process) {
  {
    const std::lock_guard held(mutex_);
    process_ = process;
    ++changes_;
  }
  changed_.notify_one();
}

void ConnectGuard::run() {
  std::unique_lock held(mutex_);
  while (!done_) {
    const std::uint64_t changes = changes_;
    const bool changed = changed_.wait_for(held, std::chrono::nanoseconds(patience_ns_),
                                           [&] { return done_ || changes_ != changes; });
    if (!changed && process_ >= 0) give_up_(process_);
  }
}

}  // namespace armature::progress
