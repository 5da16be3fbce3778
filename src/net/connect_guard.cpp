#include "net/connect_guard.hpp"

#include <chrono>
#include <utility>

#include "base/no_signals.hpp"
#include "base/start_thread.hpp"

namespace armature::net {

ConnectGuard::ConnectGuard(std::uint64_t patience_ns, std::function<void(int process)> give_up)
    : patience_ns_(patience_ns), give_up_(std::move(give_up)) {
  const base::NoSignals none;
  thread_ = base::start_thread("to watch over connections that begin", [this] { run(); });
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

}  // namespace armature::net
