#pragma once

#include <algorithm>
#include <cstdint>

namespace armature::rmi {

/// Guesses what requests are that come from a rank a few at a time. A stream should be polled less
/// often by its reader; calls that go to and fro would be delayed by that. It tries: where the
/// reader has lagged in vain, it lags again only much later.
class AdaptivePolling {
 public:
  /// A look has found so many requests; the reader had `lagged` just before it. How long to wait
  /// before the next look, in ns: longer the longer it goes on.
  std::uint32_t lag_ns(std::uint64_t requests, bool lagged) {
    if (lag_ns_ == 0) {
      if (before_trial_ == 0)
        lag_ns_ = lag_min_ns;
      else
        --before_trial_;
    } else if (lagged && requests >= many) {
      lag_ns_ = std::min(2 * lag_ns_, lag_max_ns);
      patience_ = patience_min;
    } else if (lagged) {
      end();
    }
    return lag_ns_;
  }
  /// Whether the reader lags at the moment.
  [[nodiscard]] bool lags() const { return lag_ns_ != 0; }
  /// A look has found a two-way call, or a last one-way call before a call back. The sender waits
  /// for that: longer, if the reader had lagged.
  void found_waiting_sender(bool lagged) {
    if (lag_ns_ != 0 && lagged) end();
    lag_ns_ = std::min(lag_ns_, lag_min_ns);
  }

 private:
  static constexpr std::uint64_t many = 8;
  static constexpr std::uint32_t lag_min_ns = 1000, lag_max_ns = 4000;
  static constexpr std::uint32_t patience_min = 16, patience_max = 1024;

  void end() {
    lag_ns_ = 0;
    before_trial_ = patience_;
    patience_ = std::min(2 * patience_, patience_max);
  }

  std::uint32_t lag_ns_ = 0;  // as said last time
  std::uint32_t before_trial_ = 4;
  std::uint32_t patience_ = patience_min;
};

}  // namespace armature::rmi
