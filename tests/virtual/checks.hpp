#pragma once

#include <chrono>

#include <armature/armature.hpp>

// Shared by the programs of virtual ranks here.

/// Ends the job unless that is so.
inline void require(bool good, const char* what) {
  if (!good) armature::abort(1, what);
}

/// Keeps the thread busy.
inline void compute(std::chrono::nanoseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}
