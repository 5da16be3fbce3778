#include "command/run/start_watch.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/run/console.hpp"

namespace armature::command {

void StartWatch::look() {
  watch_joining();
  watch_filling();
  tell_lost_time();
}

void StartWatch::watch_joining() {
  if (!job_.options().tells_times() || joined_) return;
  for (int rank = 0; rank < job_.ranks(); ++rank)
    if (job_.control().slot(rank).life.load(std::memory_order_relaxed) == space::Life::starting)
      return;
  joined_ = true;
  if (!job_.options().verbose) return;
  say(fmt::format("all {} ranks have joined after {:.0f} ms", job_.ranks(),
                  static_cast<double>(base::now_ns() - job_.header().started_ns) * 1e-6));
}

/// Ranks that stopped for other processes or nodes run again.
void StartWatch::tell_lost_time() {
  const std::uint64_t stopped_ns = job_.options().stopped_ns;
  if (stopped_ns == 0 || go_on_ || !joined_ || is_filling()) return;
  go_on_ = true;
  say(fmt::format("all ranks go on, {:.1f} ms after they have stopped",
                  static_cast<double>(base::now_ns() - stopped_ns) * 1e-6));
}

/// Ranks do not run until it is over.
void StartWatch::watch_filling() {
  if (filling_ == nullptr) return;
  time_.restart();
  if (!filling_->is_over()) return;
  if (filling_->has_failed()) shutdown_.kill_job();
  filling_ = nullptr;
}

}  // namespace armature::command
