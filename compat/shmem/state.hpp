#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <armature/rank_local.hpp>
#include <armature/team.hpp>
#include <armature/world.hpp>

#include "active_sets.hpp"
#include "heap.hpp"
#include "shmem.h"
#include "statics.hpp"

// State of a rank that the library keeps. It lies in the rank's own memory, so a virtual rank that
// moves takes it along, as it does teams and contexts that it has made.

struct shmem_team_s {
  armature::Team team;
  shmem_team_config_t config{};
};
struct shmem_ctx_s {
  shmem_team_t of = SHMEM_TEAM_WORLD;
  std::vector<armature::Rank> members;  // of its team; empty for the world
};

namespace shmem {

/// Locks of a PE whose threads call at one time (SHMEM_THREAD_MULTIPLE).
struct ThreadLocks {
  std::mutex lists;                 // of teams and contexts
  std::recursive_mutex collective;  // which the PE has one at a time

  ThreadLocks() = default;
  ThreadLocks(const ThreadLocks&) : ThreadLocks() {}
  ThreadLocks& operator=(const ThreadLocks&) = delete;
};

struct State {
  int begun = 0;  // shmem_init calls not yet matched by shmem_finalize
  bool was_finalized = false;
  int threads = SHMEM_THREAD_SINGLE;
  Heap heap;
  Statics statics;
  shmem_team_s shared;
  std::list<shmem_team_s> teams;  // that the program has made
  std::list<shmem_ctx_s> contexts;
  ActiveSets active_sets;
  ThreadLocks locks;
  std::thread::id own_thread;  // that has called shmem_init

  [[nodiscard]] bool is_on_own_thread() const {
    return threads != SHMEM_THREAD_MULTIPLE || std::this_thread::get_id() == own_thread;
  }
};

/// A PE's turn at collectives, for one thread of it.
class CollectiveTurn {
 public:
  explicit CollectiveTurn(State& pe) : turn_(pe.locks.collective, std::defer_lock) {
    if (pe.threads == SHMEM_THREAD_MULTIPLE) turn_.lock();
  }

 private:
  std::unique_lock<std::recursive_mutex> turn_;
};

/// The calling rank's. Throws Error(misuse) before shmem_init has joined the job.
State& state();
/// As state(), and throws Error(misuse) outside shmem_init .. shmem_finalize.
State& state_of(const char* call);
/// The team of all. Throws Error(misuse) before shmem_init.
armature::World& world_of(const char* call);

}  // namespace shmem
