#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "space/control.hpp"

namespace armature::command {

/// Notices that a job does not move: for `seconds`, no rank has begun or ended a wait, joined or
/// left, while at least one waits. Tells so again after twice that time, then four times.
class StallWatch {
 public:
  /// 0 seconds: never.
  StallWatch(double seconds, std::uint64_t now_ns);

  /// Asked now and then. True when it is time to say something.
  bool due(const space::Control& control, std::uint64_t now_ns);
  /// Time that does not count: the job was stopped.
  void restart(std::uint64_t now_ns);
  /// The time for which nothing has moved.
  [[nodiscard]] double still_s(std::uint64_t now_ns) const;

 private:
  const std::uint64_t patience_ns_;
  std::uint64_t threshold_ns_;
  std::uint64_t moved_ns_;
  std::vector<std::pair<std::uint32_t, space::Life>> seen_;
};

}  // namespace armature::command
