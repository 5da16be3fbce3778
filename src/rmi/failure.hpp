#pragma once

#include <cxxabi.h>

#include <exception>
#include <string>

#include "armature/error.hpp"
#include "armature/rank.hpp"

// How a call fails.

namespace armature::rmi {

/// Our memory or another rank's is damaged, or they run another program: ends the job before
/// anything is acted on. (By std::terminate, whose handler says what was thrown: no exception may
/// leave the delivery loop, which any call of the user's may be in.)
[[noreturn]] void corrupt(const std::string& what) noexcept;

/// Calls tell(code, text) with what was thrown. Called in a handler.
template <class F>
void tell_thrown(F tell) {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread is being cancelled
  } catch (const Error& error) {
    tell(error.code(), error.what());
  } catch (const std::exception& error) {
    tell(Errc::remote, error.what());
  } catch (...) {
    tell(Errc::remote, "an exception that is no std::exception");
  }
}

/// Throws the error of a method at that rank, for its caller.
[[noreturn]] void throw_remote(Errc code, Rank from, const std::string& text);

}  // namespace armature::rmi
