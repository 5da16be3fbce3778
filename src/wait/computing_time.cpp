#include <algorithm>

#include "armature/clock.hpp"
#include "armature/compute.hpp"
#include "wait/rank_context.hpp"

namespace armature::detail {

void ComputingTime::begin() {
  wait::RankContext& me = wait::this_rank("computing time");
  me.counts_elsewhere.store(true, std::memory_order_relaxed);
  elsewhere_before_ns_ = me.elsewhere_ns;
  clock_ = clock_number();
  begun_ns_ = clock_ns();
}

std::uint64_t ComputingTime::end_ns() const {
  // The time is unknown if the clock is another one than at the beginning.
  if (clock_ != clock_number()) return 0;
  wait::RankContext& me = wait::this_rank("computing time");
  const std::uint64_t took_ns = clock_ns() - begun_ns_;
  const std::uint64_t elsewhere_ns = me.elsewhere_ns - elsewhere_before_ns_;
  // A wider one, of which this is a part, was elsewhere all the time.
  me.elsewhere_ns = elsewhere_before_ns_ + took_ns;
  return took_ns - std::min(took_ns, elsewhere_ns);
}

}  // namespace armature::detail
