#include "command/run/start_watch.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/run/console.hpp"

namespace armature::command {

void StartWatch::look() {
  watch_joining();
  watch_filling();
}

void StartWatch::watch_joining() {
  if (!job_.options().verbose || joined_) return;
  for (int rank = 0; rank < job_.ranks(); ++rank)
    if (job_.control().slot(rank).life.load(std::memory_order_relaxed) == space::Life::starting)
      return;
  joined_ = true;
  say(fmt::format("all {} ranks have joined after {:.0f} ms", job_.ranks(),
                  static_cast<double>(base::now_ns() - job_.header().started_ns) * 1e-6));
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
