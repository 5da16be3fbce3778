#pragma once

#include <cxxabi.h>

#include <utility>

namespace armature::fibers {

/// The C++ runtime's record, one per thread, of the exceptions that are being handled. A fiber that
/// waits inside a catch block takes it along. The layout is the ABI's (__cxa_eh_globals).
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

/// The calling thread's.
inline ExceptionState& exception_state() {
  return *static_cast<ExceptionState*>(static_cast<void*>(__cxxabiv1::__cxa_get_globals()));
}

}  // namespace armature::fibers
