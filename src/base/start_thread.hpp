#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/process_memory.hpp"
#include "base/runtime.hpp"

namespace armature::base {

/// Throws Error(start): there is no thread "to do this", and which limits there are.
[[noreturn]] void fail_without_thread(const std::string& what_for, int error);

/// A thread of the library's, which works for no rank, whichever starts it, but for the runtime of
/// who does. Throws that where none can be had.
template <class Run>
std::thread start_thread(const std::string& what_for, Run run) {
  const ProcessMemory processes;
  try {
    return std::thread([run = std::move(run), &runtime = Runtime::here()]() mutable {
      const UseRuntime used(runtime);
      run();
    });
  } catch (const std::system_error& error) {
    fail_without_thread(what_for, error.code().value());
  }
}

}  // namespace armature::base
