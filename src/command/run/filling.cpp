#include "command/run/filling.hpp"

#include "base/futex.hpp"
#include "base/no_signals.hpp"

namespace armature::command {

Filling::Filling(const LaunchOptions::Restore& restore,
                 const std::vector<space::JobMemory>& memory) {
  for (const space::JobMemory& node : memory) {
    controls_.push_back(space::map_control(node.control.get()));
    controls_.back().header().quiesce.is_filling.store(1, std::memory_order_relaxed);
    restore.prepare(controls_.back());
  }
  const base::NoSignals none;
  thread_ = std::jthread(
      [this, &restore, &memory](const std::stop_token& stop) { fill(restore, memory, stop); });
}

void Filling::fill(const LaunchOptions::Restore& restore,
                   const std::vector<space::JobMemory>& memory,
                   const std::stop_token& stop) noexcept {
  try {
    restore.fill(memory, stop, [&] {
      for (const space::Control& control : controls_) {
        std::atomic<std::uint32_t>& word = control.header().quiesce.is_filling;
        // Release: who sees this sees the memory.
        word.store(0, std::memory_order_release);
        base::futex_wake(word);
      }
    });
  } catch (...) {
    problem_ = std::current_exception();
  }
  over_.store(true, std::memory_order_release);
}

void Filling::finish() {
  const bool was_over = is_over();
  thread_.request_stop();
  thread_.join();
  if (was_over && problem_) std::rethrow_exception(problem_);
}

}  // namespace armature::command
