#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/peers.hpp"
#include "transport/links.hpp"

namespace armature::net {

/// Signs of life: this process's, and whether those of others still come. All of it under the
/// links' lock unless said otherwise.
class Heartbeat {
 public:
  Heartbeat(transport::Links& links, Peers& peers) : links_(links), peers_(peers) {}
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat() = default;

  /// A process that is silent for longer is lost. 0: never, and signs of life are given as often as
  /// the second number says. They show where a packet is missing: then the process is lost after
  /// some of them, as all later packets would wait for that one for ever.
  void start(std::uint64_t silence_max_ns, std::uint64_t interval_ns);
  /// How often beat() must be called; 0: no matter. Not only under the lock.
  [[nodiscard]] std::uint64_t interval_ns() const { return interval_ns_; }
  /// Whether it is time. By who calls beat().
  [[nodiscard]] bool is_due() const;
  /// A few times in the time-out: says that we are there, and gives up who has not been heard of.
  /// Not when we were stopped ourselves meanwhile: then they may have spoken.
  void beat();
  /// Ends this process if the others go on without it, where the job goes back to copies. A process
  /// may have been stopped for longer than the heartbeat, or know that others are without it. It
  /// must then not take them for lost when it finds that they have closed their links.
  void end_if_given_up() const;

 private:
  /// Whether this process was, for longer than the heartbeat allows, until a short while ago. All
  /// at once may have been, then nobody was given up.
  [[nodiscard]] bool was_stopped() const;
  struct Pulse {  // of another process
    std::uint64_t received = 0;
    std::uint64_t since_ns = 0;
    std::size_t early = 0;     // packets that had come before the one that is due
    int beats_with_early = 0;  // times that there were more of them
  };
  [[nodiscard]] const char* why_give_up(const transport::Link& link, Pulse& pulse,
                                        std::uint64_t now_ns) const;

  transport::Links& links_;
  Peers& peers_;
  std::vector<Pulse> pulses_;  // in the order of Links::partners()
  std::uint64_t silence_max_ns_ = 0;
  std::uint64_t interval_ns_ = 0;
  std::uint64_t beat_ns_ = 0;     // when we looked last
  std::uint64_t stopped_ns_ = 0;  // when we saw that we had been stopped
};

}  // namespace armature::net
