#pragma once

#include <sys/timerfd.h>

#include <cstdint>

#include "base/file_descriptor.hpp"

namespace armature::transport {

/// A descriptor that is readable some time later.
class WakeTimer {
 public:
  [[nodiscard]] int open() {
    timer_ = base::FileDescriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    return timer_.get();
  }
  /// The descriptor is readable in that time; 0: it need not be.
  void wake_in(std::uint64_t ns) {
    const itimerspec at{{}, {0, static_cast<long>(ns)}};
    timerfd_settime(timer_.get(), 0, &at, nullptr);
    is_set_ = ns != 0;
  }
  /// The descriptor is readable in that time, or was to be so anyway.
  void wake_within(std::uint64_t ns) {
    if (!is_set_) wake_in(ns);
  }

 private:
  bool is_set_ = false;  // or has expired since it was
  base::FileDescriptor timer_;
};

}  // namespace armature::transport
