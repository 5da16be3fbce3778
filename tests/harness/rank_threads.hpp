#pragma once

#include <concepts>
#include <cstdint>

#include "harness/job.hpp"
#include "world/hosted_ranks.hpp"

namespace armature::harness {

/// Ranks without a launcher: each is a thread of the test's process, in a job of its own beside the
/// one that the process has joined.
class RankThreads {
 public:
  explicit RankThreads(std::uint32_t ranks);

  /// Runs body(world) on every rank, and returns when all have returned. Once.
  template <std::invocable<World&> Body>
  void run(Body body) {
    run_on_all(
        [](void* callable, World& world) {
          (*static_cast<Body*>(callable))(world);
          return 0;
        },
        &body);
  }

 private:
  void run_on_all(detail::Body body, void* callable);

  Job job_;
  hosting::HostedSpaces spaces_;
};

}  // namespace armature::harness
