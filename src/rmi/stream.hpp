#pragma once

#include <algorithm>
#include <cstdint>

namespace armature::rmi {

/// Guesses whether what comes from a rank, a few statements at a time, is a stream that its reader
/// should look at less often (see RankContext::in_stream), or messages that go to and fro, which
/// that would delay. It tries: statements that were waited for in vain are waited for again only
/// much later.
class Stream {
 public:
  /// So many statements have come since it was last asked. Whether to look less often now.
  bool goes_on(std::uint64_t statements) {
    if (lagged_) {
      lagged_ = statements >= many;
      before_trial_ = lagged_ ? 0 : patience_;
      patience_ = lagged_ ? patience_min : std::min(2 * patience_, patience_max);
    } else {
      lagged_ = before_trial_ == 0;
      if (!lagged_) --before_trial_;
    }
    return lagged_;
  }

 private:
  static constexpr std::uint64_t many = 8;
  static constexpr std::uint32_t patience_min = 16, patience_max = 1024;

  bool lagged_ = false;  // said so last time
  std::uint32_t before_trial_ = 4;
  std::uint32_t patience_ = patience_min;
};

}  // namespace armature::rmi
