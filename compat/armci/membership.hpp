#pragma once

#include <atomic>
#include <mutex>

#include <armature/world.hpp>

#include "of_rank.hpp"

namespace armci {

/// Most calls look at this. It is changed under a lock.
struct Member {
  std::atomic<armature::World*> world = nullptr;
  int me = -1;
  // Turn: whether its threads take turns, and whose it is. Some of these calls are made of others.
  std::atomic<bool> takes_turns = false;
  std::recursive_mutex turn;
};
extern OfRank<Member> membership;

}  // namespace armci
