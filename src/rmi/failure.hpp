#pragma once

#include <string>

#include "armature/rank.hpp"

// What becomes of a call that nobody waits for and that failed.

namespace armature::rmi {

class Endpoint;

/// Our memory or another rank's is damaged, or they run another program: ends the job before
/// anything is acted on. (By std::terminate, whose handler says what was thrown: no exception may
/// leave the delivery loop, which any call of the user's may be in.)
[[noreturn]] void corrupt(const std::string& what) noexcept;

/// A method that was called by async threw on this rank: the job's handler has it; else, or when
/// that throws in turn, the job ends.
void call_failed(Endpoint& endpoint, Rank caller, const std::string& text) noexcept;

/// A call found no object here: its caller is told, where call_failed has it.
void report(Endpoint& endpoint, Rank caller, const std::string& text);

}  // namespace armature::rmi
