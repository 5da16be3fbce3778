#pragma once

#include <memory>
#include <vector>

#include "armature/run.hpp"
#include "space/address_space.hpp"

namespace armature::hosting {

using HostedSpaces = std::vector<std::unique_ptr<space::AddressSpace>>;

/// Runs `body` on every rank whose memory is given, all of this process. The first runs on the
/// calling thread, each other on a thread of its own with as much stack as the main thread may
/// have. Returns when all have finished, with the first status, in the order of ranks, that is not
/// 0. Throws Error(start), and runs nothing, when the threads cannot be had. An exception that
/// leaves `body` is not caught.
int run(const HostedSpaces& spaces, detail::Body body, void* callable);

}  // namespace armature::hosting
