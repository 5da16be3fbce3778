#pragma once

#include <cxxabi.h>

#include <exception>
#include <string>

#include "armature/error.hpp"
#include "armature/rank.hpp"

// What becomes of a call that failed, one that nobody waits for above all.

namespace armature::rmi {

class Endpoint;

/// Our memory or another rank's is damaged, or they run another program: ends the job before
/// anything is acted on. (By std::terminate, whose handler says what was thrown: no exception may
/// leave the delivery loop, which any call of the user's may be in.)
[[noreturn]] void corrupt(const std::string& what) noexcept;

/// In a handler: tell(code, text) of what was thrown.
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

/// A method that was called by async threw on this rank: the job's handler has it; else, or when
/// that throws in turn, the job ends.
void call_failed(Endpoint& endpoint, Rank caller, const std::string& text) noexcept;

/// What a method threw at that rank, for who asked.
[[noreturn]] void throw_remote(Errc code, Rank from, const std::string& text);

/// A call found no object here: its caller is told, where call_failed has it.
void report(Endpoint& endpoint, Rank caller, const std::string& text);

}  // namespace armature::rmi
