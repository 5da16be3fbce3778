#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "armature/armature.hpp"
#include "armature/collectives_async.hpp"
#include "armature/rmi.hpp"

// Shared by victim.cpp, async_collectives.cpp and remote_calls.cpp: a job before one of its ranks
// dies.

/// Another launcher starts so many ranks in each process. Read before main: it is gone from the
/// environment when the job has been joined.
inline const int ranks_each = [] {
  const char* const threads = std::getenv("ARMATURE_THREADS");
  return threads != nullptr ? std::atoi(threads) : 1;
}();
/// One rank of each of the first three processes has a part of its own; the first one, rank 0, is
/// also what the victim calls. The victim's process dies, and all ranks in it; all others survive.
inline const int victim_rank = ranks_each;
inline const int third_rank = 2 * ranks_each;
inline bool dies(int rank) { return rank / ranks_each == victim_rank / ranks_each; }

/// Remote calls are made to it.
struct Target {
  int calls = 0;
  int call() { return ++calls; }
  /// Passes a call on to the victim.
  void forward(armature::shared_ref<Target> all) { all.async(victim_rank, &Target::call); }
  int ask_on(armature::shared_ref<Target> all) { return all.sync(victim_rank, &Target::call); }
};

/// Made before the death.
struct Scene {
  armature::World& world;
  armature::Piece<double> piece;
  armature::Piece<std::int64_t> out;  // the victim's says who is out of the last barrier
  std::vector<armature::Piece<int>> to_free;
  std::vector<armature::Mutexes> to_destroy;
  armature::Mutexes mutexes;
  armature::Team survivors;
  int next;  // survivor
  std::unique_ptr<armature::shared<Target>> target;
  std::vector<double> data;
  std::vector<double> all;
};

/// The number of ranks.
inline std::size_t size_of(const Scene& s) { return static_cast<std::size_t>(s.world.size()); }

using Step = std::function<void(Scene&)>;

struct Call {
  const char* name;
  Step call;              // what the survivors do, `rounds` times
  Step victim = nullptr;  // what the victim is in; the same unless said
  Step prepare = nullptr;
  bool meanwhile = false;  // the survivors are in the call, again and again, while the victim dies
  bool needs_memory = false;  // the victim's, and nothing that it does
};

/// A step that is taken again and again.
template <class F>
Step forever(F f) {
  return [f](Scene& s) {
    for (;;) f(s);
  };
}

const std::vector<Call>& async_collectives();
const std::vector<Call>& remote_calls();
