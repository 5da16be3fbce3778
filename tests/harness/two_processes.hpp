#pragma once

#include <concepts>
#include <cstddef>
#include <functional>

#include "armature/run.hpp"
#include "harness/wire.hpp"

namespace armature::harness {

/// Two processes that know nothing of each other but what comes over the network: a job of two
/// nodes with a process of one rank each. Both are threads of the test's process, each with a
/// runtime of its own: its own mapping, network, tables and teams. Between them is an engine that
/// copies. Runs body(world) as the rank of each process, and returns when both have left: how many
/// packets have gone between them. Throws what one of them has thrown.
std::size_t run_two_processes(const std::function<void(World&)>& body);
/// Runs it over that wire, through which the caller sees what they send.
std::size_t run_two_processes(const std::function<void(World&)>& body, Wire& wire);

}  // namespace armature::harness
