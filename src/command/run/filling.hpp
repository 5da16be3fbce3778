#pragma once

#include <atomic>
#include <exception>
#include <stop_token>
#include <thread>
#include <vector>

#include "command/run/launch_options.hpp"
#include "space/control.hpp"

namespace armature::command {

/// The memory of a job that goes on from a checkpoint is filled while its processes are started:
/// the time that those take is not added to it. No rank runs before it is whole.
class Filling {
 public:
  /// `memory` is that of each node.
  Filling(const LaunchOptions::Restore& restore, const std::vector<space::JobMemory>& memory);
  Filling(const Filling&) = delete;
  Filling& operator=(const Filling&) = delete;

  [[nodiscard]] bool is_over() const { return over_.load(std::memory_order_acquire); }
  /// Asked once it is over.
  [[nodiscard]] bool has_failed() const { return problem_ != nullptr; }
  /// Throws what has made it fail. When it is not over, nobody needs it any more.
  void finish();

 private:
  void fill(const LaunchOptions::Restore& restore, const std::vector<space::JobMemory>& memory,
            const std::stop_token& stop) noexcept;

  std::vector<space::Control> controls_;
  std::atomic<bool> over_{false};
  std::exception_ptr problem_;
  std::jthread thread_;
};

}  // namespace armature::command
