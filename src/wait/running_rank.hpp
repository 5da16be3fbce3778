#pragma once

namespace armature::wait {

struct RankContext;

/// The rank that the calling thread runs; nullptr for a thread that the program has started.
RankContext* running_rank();

}  // namespace armature::wait
