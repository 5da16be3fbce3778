#pragma once

#include <concepts>
#include <exception>
#include <new>
#include <type_traits>

#include <armature/error.hpp>

// No exception may cross a C function. Calls that return int answer with the interface's classical
// codes; calls that cannot answer end the job with the message of the error. Few programs look at
// the codes of transfers, so one that could not be made also says so.

namespace armci {

enum Code : int {
  ok = 0,
  null_pointer = -1,
  bad_kind = -2,    // operation, datatype; a null array
  bad_count = -3,   // of bytes
  bad_levels = -4,  // of strides; segments of a vector
  bad_process = -5,
  failed = -6,
};

[[nodiscard]] int code_of(const armature::Error& error);

/// Says why on stderr if ARMCI_VERBOSE=1; returns the code.
int explain(const char* call, int code, const char* why);

[[noreturn]] void fatal(const char* call, int code, const char* why);

/// A call as the program has made it.
struct Call {
  const char* name;
  const void* site;  // where it returns to

  /// Returns the call of the function that says so: default arguments are evaluated there.
  static Call here(const char* name = __builtin_FUNCTION(),
                   const void* site = __builtin_return_address(0)) {
    return {name, site};
  }
};

/// Refuses a transfer. Returns the code; of what has failed (an address that nobody owns) it says
/// why on stderr, once for each place of the program. Ends the job if ARMCI_ERRORS=abort.
int refuse(Call call, int code, const char* why);

/// Throws Error(bad_argument) where ARMCI_ERRORS says neither return nor abort.
void check_settings();

/// Returns what `body` returns, or the code of what it throws.
template <std::invocable Body>
[[gnu::always_inline]] inline int answered(const char* call, Body&& body) noexcept {
  try {
    return body();
  } catch (const armature::Error& error) {
    return explain(call, code_of(error), error.what());
  } catch (const std::exception& error) {
    return explain(call, failed, error.what());
  }
}

/// Returns what a transfer `body` returns, or the code of what it throws, which `refuse` tells.
template <std::invocable Body>
[[gnu::always_inline]] inline int transferred(Call call, Body&& body) noexcept {
  try {
    return body();
  } catch (const armature::Error& error) {
    return refuse(call, code_of(error), error.what());
  } catch (const std::exception& error) {
    return refuse(call, failed, error.what());
  }
}

/// Returns what `body` returns; an exception ends the job.
template <std::invocable Body>
std::invoke_result_t<Body> insisted(const char* call, Body&& body) noexcept {
  try {
    return body();
  } catch (const armature::Error& error) {
    fatal(call, code_of(error), error.what());
  } catch (const std::exception& error) {
    fatal(call, failed, error.what());
  }
}

}  // namespace armci

/// Defines the ARMCI_ twin of a PARMCI_ function, in the file that defines the latter: weak, so
/// that a profiler's definition takes its place.
#define ARMCI_TWIN(name) \
  extern "C" decltype(PARMCI_##name) ARMCI_##name __attribute__((weak, alias("PARMCI_" #name)))
