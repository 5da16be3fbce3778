#pragma once

#include <algorithm>
#include <cstdint>

namespace armature::rmi {

/// Guesses whether what comes from a rank, a few statements at a time, is a stream that its reader
/// should look at less often (see RankContext::lag_ns), or messages that go to and fro, which
/// that would delay. It tries: statements that were waited for in vain are waited for again only
/// much later.
class Stream {
 public:
  /// A look has found so many statements; the reader had `lagged` just before it. How long to wait
  /// before the next look, in ns: longer the longer it goes on.
  std::uint32_t lag_ns(std::uint64_t statements, bool lagged) {
    if (lag_ns_ == 0) {
      if (before_trial_ == 0)
        lag_ns_ = lag_min_ns;
      else
        --before_trial_;
    } else if (lagged && statements >= many) {
      lag_ns_ = std::min(2 * lag_ns_, lag_max_ns);
      patience_ = patience_min;
    } else if (lagged) {
      end();
    }
    return lag_ns_;
  }
  /// It is taken for one.
  [[nodiscard]] bool is_known() const { return lag_ns_ != 0; }
  /// A look has found a question, whose asker waits: longer, if the reader had lagged.
  void was_asked(bool lagged) {
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
