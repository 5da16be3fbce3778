#include "engines/sim/seeded_fault_model.hpp"

#include <algorithm>

namespace armature::transport::sim {

SeededFaultModel::SeededFaultModel(int ranks, base::Random& random, const std::uint64_t& now_ns)
    : ranks_(static_cast<std::size_t>(ranks)),
      random_(random),
      now_ns_(now_ns),
      fault_rates_(random, 1'000'000),
      lanes_(ranks_ * ranks_) {}

// Bytes that a rank sends to itself do not travel.
std::uint64_t SeededFaultModel::visible(int from, int to, std::uint64_t published) {
  if (from == to) return published;
  Lane& lane = lanes_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)];
  if (published != lane.published) {
    lane.published = published;
    const std::uint64_t before = lane.batches.empty() ? 0 : lane.batches.back().arrives_ns;
    lane.batches.push_back({published, std::max(before, now_ns_ + fault_rates_.delay_ns(random_))});
    ++under_way_;
    if (names_due_) due_.push({lane.batches.back().arrives_ns, to});
  }
  while (!lane.batches.empty() && lane.batches.front().arrives_ns <= now_ns_) {
    lane.visible = lane.batches.front().end;
    lane.batches.pop_front();
    --under_way_;
  }
  return lane.visible;
}

bool SeededFaultModel::clogs(int from, int to) {
  if (from == to || !random_.chance(fault_rates_.clogging)) return false;
  if (names_due_) due_.push({now_ns_ + random_.below(fault_rates_.short_ns), from});
  return true;
}

int SeededFaultModel::take_due() {
  if (due_.empty() || due_.top().at_ns > now_ns_) return -1;
  const int rank = due_.top().rank;
  due_.pop();
  return rank;
}

}  // namespace armature::transport::sim
