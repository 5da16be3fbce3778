#pragma once

#include <exception>
#include <string>
#include <utility>

#include <armature/error.hpp>

// No exception may cross a C function, and OpenSHMEM's routines have no errors to return: one that
// cannot do what was asked ends the job, and names itself.

namespace shmem {

[[noreturn]] void fatal(const char* call, const char* why);

/// Throws Error(bad_argument), or of another kind.
[[noreturn]] void refuse(const std::string& why,
                         armature::Errc code = armature::Errc::bad_argument);

/// Returns what `body` returns; an exception ends the job.
template <class Body>
[[gnu::always_inline]] inline decltype(auto) insisted(const char* call, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception& error) {
    fatal(call, error.what());
  }
}

}  // namespace shmem
