#pragma once

#include <exception>

#include "armature_arrays.h"

// The border to C: no exception crosses it.

namespace compat_arrays {

/// Writes what has gone wrong, or ends the job where nobody asks for it.
void report(const char* call, armature_arrays_status* status, const char* why);

template <class Body>
void perform(const char* call, armature_arrays_status* status, Body body) noexcept {
  if (status != nullptr) *status = {};
  try {
    body();
  } catch (const std::exception& error) {
    report(call, status, error.what());
  }
}

}  // namespace compat_arrays
