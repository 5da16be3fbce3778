#include "command/run/stall.hpp"

namespace armature::command {

StallWatch::StallWatch(double seconds, std::uint64_t now_ns)
    : patience_ns_(static_cast<std::uint64_t>(seconds * 1e9)),
      threshold_ns_(patience_ns_),
      moved_ns_(now_ns) {}

void StallWatch::restart(std::uint64_t now_ns) {
  moved_ns_ = now_ns;
  threshold_ns_ = patience_ns_;
}

double StallWatch::still_s(std::uint64_t now_ns) const {
  return static_cast<double>(now_ns - moved_ns_) * 1e-9;
}

bool StallWatch::due(const space::Control& control, std::uint64_t now_ns) {
  if (patience_ns_ == 0) return false;
  const std::uint32_t ranks = control.header().ranks;
  const bool first_look = seen_.empty();
  seen_.resize(ranks);
  bool moved = first_look;
  bool somebody_waits = false;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const space::RankSlot& slot = control.slot(static_cast<int>(rank));
    const auto state = std::pair(slot.wait.sequence.load(std::memory_order_relaxed),
                                 slot.life.load(std::memory_order_relaxed));
    moved |= std::exchange(seen_[rank], state) != state;
    somebody_waits |= slot.wait.waits_for() != space::Awaiting::nothing;
  }
  if (moved) restart(now_ns);
  if (!somebody_waits || now_ns - moved_ns_ < threshold_ns_) return false;
  threshold_ns_ *= 2;
  return true;
}

}  // namespace armature::command
