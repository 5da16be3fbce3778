#pragma once

#include <cstdint>

#include "armature/detail/export.hpp"

namespace armature {

/// Stands for so many seconds of computing: in a program whose time is to be predicted before the
/// computing is written, or without it. In a simulation that has costs (`armature run --simulate
/// SEED --network ...`) the rank's clock moves by that much, at once. Anywhere else the calling
/// thread sleeps for it, and so do virtual ranks of the same thread, as they would not run while
/// one computes. Throws Error(bad_argument) where `seconds` is negative, above 1e9, or no number.
ARMATURE_API void compute(double seconds);

namespace detail {

/// How long the calling rank computes between two moments: without the time in which it waits, and
/// without what it executes meanwhile, for others or with a clock like this one of its own.
class ComputingTime {
 public:
  ARMATURE_API void begin();
  /// In nanoseconds of clock_ns(); 0 where that has become another clock. To be called once.
  [[nodiscard]] ARMATURE_API std::uint64_t end_ns() const;

 private:
  std::uint64_t clock_ = 0, begun_ns_ = 0, elsewhere_before_ns_ = 0;
};

}  // namespace detail

}  // namespace armature
