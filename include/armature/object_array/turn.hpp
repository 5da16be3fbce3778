#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "armature/compute.hpp"
#include "armature/error.hpp"

namespace armature::detail {

/// The calls of elements that are under way on a rank, one on top of the other where they wait.
/// Their limits are parts of the rank's limit of nesting.
template <class Record>
struct Turns {
  explicit Turns(std::uint32_t nesting_max)
      : running_max(std::max(1, static_cast<int>(nesting_max / 4))),
        depth_max(std::max(1U, nesting_max / 2)) {}

  const int running_max;
  const std::uint32_t depth_max;
  int running = 0;
  std::uint32_t depth = 0;    // of the one on top
  bool measures = false;      // computing times, and who calls whom
  Record* calling = nullptr;  // the one on top, where that is measured

  /// Whether a call behind which a two-way call waits that is so deep may be executed on top of
  /// them.
  [[nodiscard]] bool may_run(std::uint32_t behind) const {
    return running < running_max || behind > depth;
  }
  /// Throws Error(nesting) where a two-way call would be too deep.
  void require_depth() const {
    if (depth >= depth_max)
      throw Error(Errc::nesting,
                  "object_array: a two-way call to an element would be the " +
                      std::to_string(depth + 1) +
                      "th of a chain of calls made while executing calls; the limit is "
                      "half of armature run --nesting-max");
  }
};

/// While this is there what is asked is asked by something at least that deep.
class AsDeep {
 public:
  AsDeep(std::uint32_t& top, std::uint32_t depth)
      : top_(top), before_(std::exchange(top, std::max(top, depth))) {}
  AsDeep(const AsDeep&) = delete;
  AsDeep& operator=(const AsDeep&) = delete;
  ~AsDeep() { top_ = before_; }

 private:
  std::uint32_t& top_;
  const std::uint32_t before_;
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
    if (measures_) time_.begin();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    --all_.running;
    --record_.running;
    all_.depth = depth_before_;
    all_.calling = before_;
    if (measures_) record_.busy_ns += time_.end_ns();
  }

 private:
  Turns<Record>& all_;
  Record& record_;
  std::uint32_t depth_before_;
  Record* before_ = nullptr;
  bool measures_ = false;
  ComputingTime time_;
};

}  // namespace armature::detail
