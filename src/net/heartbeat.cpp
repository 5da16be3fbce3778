#include "net/heartbeat.hpp"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/clock.hpp"
#include "wait/processes.hpp"

namespace armature::net {

using transport::Link;

void Heartbeat::start(std::uint64_t silence_max_ns) {
  silence_max_ns_ = silence_max_ns;
  beat_ns_ = base::now_ns();
}

bool Heartbeat::is_due() const {
  return silence_max_ns_ != 0 && base::now_ns() - beat_ns_ >= interval_ns();
}

/// A process that others have given up finds them silent after one more time-out at the latest. So
/// a stop counts for two time-outs.
bool Heartbeat::was_stopped() const {
  if (silence_max_ns_ == 0) return false;
  const std::uint64_t now_ns = base::now_ns();
  return now_ns - beat_ns_ > silence_max_ns_ ||
         (stopped_ns_ != 0 && now_ns - stopped_ns_ < 2 * silence_max_ns_);
}

void Heartbeat::beat() {
  const std::uint64_t now_ns = base::now_ns();
  peers_.end_after_failure();
  if (silence_max_ns_ == 0 || now_ns - beat_ns_ < interval_ns()) return;
  if (now_ns - beat_ns_ > silence_max_ns_) stopped_ns_ = now_ns;
  const bool stopped = now_ns - std::exchange(beat_ns_, now_ns) > 2 * interval_ns();
  const std::vector<int>& others = links_.partners();
  pulses_.resize(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    Link& link = links_.to(others[i]);
    Pulse& pulse = pulses_[i];
    if (stopped || pulse.since_ns == 0 || pulse.received != link.received())
      pulse = {link.received(), now_ns};
    if (link.is_lost() || link.said_bye()) continue;
    if (now_ns - pulse.since_ns > silence_max_ns_) {
      end_if_given_up();
      peers_.mapping().header().quiesce.epoch.has_given_up.store(1, std::memory_order_relaxed);
      links_.give_up(others[i],
                     link.lacks_packet()
                         ? "a packet of it has not come within the heartbeat, or was refused"
                         : "it has been silent for longer than the heartbeat allows");
      continue;
    }
    (void)link.append(transport::Kind::none, -1, -1, 0, Link::Ack::none);
    link.flush();
  }
}

void Heartbeat::end_if_given_up() const {
  const space::Mapping& mapping = peers_.mapping();
  const space::ProcessSlot& self = mapping.process_slot(links_.process());
  if (wait::recovers_on_nodes(mapping.header()) && (wait::is_lost(self) || was_stopped()))
    kill(getpid(), SIGKILL);
}

}  // namespace armature::net
