#include "net/heartbeat.hpp"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/clock.hpp"
#include "wait/processes.hpp"

namespace armature::net {

using transport::Link;

void Heartbeat::start(std::uint64_t silence_max_ns, std::uint64_t interval_ns) {
  silence_max_ns_ = silence_max_ns;
  interval_ns_ = silence_max_ns != 0 ? silence_max_ns / 4 : interval_ns;
  beat_ns_ = base::now_ns();
}

bool Heartbeat::is_due() const {
  return interval_ns_ != 0 && base::now_ns() - beat_ns_ >= interval_ns_;
}

/// A process that others have given up finds them silent after one more time-out at the latest. So
/// a stop counts for two time-outs.
bool Heartbeat::was_stopped() const {
  if (silence_max_ns_ == 0) return false;
  const std::uint64_t now_ns = base::now_ns();
  return now_ns - beat_ns_ > silence_max_ns_ ||
         (stopped_ns_ != 0 && now_ns - stopped_ns_ < 2 * silence_max_ns_);
}

/// Returns why nothing is expected of a process any more, or nullptr. Where silence is no fault, a
/// packet counts as missing when others have come behind it again and again: who is stopped sends
/// none.
const char* Heartbeat::why_give_up(const Link& link, Pulse& pulse, std::uint64_t now_ns) const {
  constexpr int beats_max = 4;
  constexpr const char* missing =
      "a packet of it has not come within the heartbeat, or was refused";
  if (silence_max_ns_ == 0) {
    if (link.early() > pulse.early) ++pulse.beats_with_early;
    pulse.early = link.early();
    return pulse.beats_with_early >= beats_max
               ? "a packet of it has not come, though later ones have, or was refused"
               : nullptr;
  }
  if (now_ns - pulse.since_ns <= silence_max_ns_) return nullptr;
  return link.early() > 0 ? missing : "it has been silent for longer than the heartbeat allows";
}

void Heartbeat::beat() {
  const std::uint64_t now_ns = base::now_ns();
  peers_.end_after_failure();
  if (interval_ns_ == 0 || now_ns - beat_ns_ < interval_ns_) return;
  if (silence_max_ns_ != 0 && now_ns - beat_ns_ > silence_max_ns_) stopped_ns_ = now_ns;
  const bool stopped = now_ns - std::exchange(beat_ns_, now_ns) > 2 * interval_ns_;
  const std::vector<int>& others = links_.partners();
  pulses_.resize(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    Link& link = links_.to(others[i]);
    Pulse& pulse = pulses_[i];
    if (stopped || pulse.since_ns == 0 || pulse.received != link.received())
      pulse = {.received = link.received(), .since_ns = now_ns};
    if (link.is_lost() || link.said_bye()) continue;
    if (const char* const why = why_give_up(link, pulse, now_ns)) {
      end_if_given_up();
      peers_.mapping().header().quiesce.epoch.has_given_up.store(1, std::memory_order_relaxed);
      links_.give_up(others[i], why);
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
