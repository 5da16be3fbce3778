#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace armature::detail {

/// The calls of elements that are under way on a rank, one on top of the other where they wait.
template <class Record>
struct Turns {
  int running = 0;
  std::uint32_t depth = 0;                       // of the one on top
  bool measures = false;                         // computing times, and who calls whom
  Record* calling = nullptr;                     // the one on top, where that is measured
  std::chrono::steady_clock::duration nested{};  // spent in those on top of the one on top
};

/// One of them, from its beginning to its end: its record stays here.
template <class Record>
class Turn {
 public:
  Turn(Turns<Record>& all, Record& record, std::uint32_t depth)
      : all_(all), record_(record), depth_before_(std::exchange(all.depth, depth)) {
    ++all_.running;
    ++record_.running;
    before_ = std::exchange(all_.calling, all_.measures ? &record : nullptr);
    measures_ = all_.measures;
    if (!measures_) return;
    nested_before_ = std::exchange(all_.nested, {});
    begun_ = Clock::now();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    --all_.running;
    --record_.running;
    all_.depth = depth_before_;
    all_.calling = before_;
    if (!measures_) return;
    // What was called meanwhile counts for the others.
    const auto took = Clock::now() - begun_;
    record_.busy_ns += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(took - all_.nested).count());
    all_.nested = nested_before_ + took;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Turns<Record>& all_;
  Record& record_;
  std::uint32_t depth_before_;
  Record* before_ = nullptr;
  bool measures_ = false;
  Clock::time_point begun_;
  Clock::duration nested_before_{};
};

}  // namespace armature::detail
