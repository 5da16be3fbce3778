#pragma once

namespace armature::wait {

struct RankContext;

/// The rank that the calling thread runs; nullptr for a thread that the program has started.
RankContext* running_rank();

/// Makes the rank the calling thread's while this lives: the thread helps it, and does not run it.
class HelpsRank {
 public:
  explicit HelpsRank(RankContext& rank);
  HelpsRank(const HelpsRank&) = delete;
  HelpsRank& operator=(const HelpsRank&) = delete;
  ~HelpsRank();
};

}  // namespace armature::wait
