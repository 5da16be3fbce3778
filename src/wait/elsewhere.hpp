#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "wait/rank_context.hpp"

namespace armature::wait {

/// The rank's own thread waits while this is there, or executes what others have asked of it: that
/// is no computing of what is under way (armature::detail::ComputingTime). Counted where somebody
/// wants to know. One inside another one is a part of that.
class Elsewhere {
 public:
  /// nullptr: by a thread without a rank.
  explicit Elsewhere(RankContext* me) {
    if (me != nullptr && me->counts_elsewhere.load(std::memory_order_relaxed)) [[unlikely]]
      begin(*me);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() {
    if (me_ != nullptr) [[unlikely]]
      me_->elsewhere_ns = before_ns_ + base::now_ns() - begun_ns_;
  }

 private:
  void begin(RankContext& me) {
    if (!runs_rank()) return;
    me_ = &me;
    before_ns_ = me.elsewhere_ns;
    begun_ns_ = base::now_ns();
  }

  RankContext* me_ = nullptr;
  std::uint64_t before_ns_, begun_ns_;  // set where me_ is
};

}  // namespace armature::wait
