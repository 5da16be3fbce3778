#pragma once

#include <concepts>
#include <memory>

#include "space/job_memory.hpp"
#include "space/layout.hpp"
#include "topology/cores.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"
#include "world/hosted_ranks.hpp"

// Unit tests that need several ranks: a job of its own within the test's process, every rank a
// thread, beside whatever job that process has joined.

namespace armature {

class RanksInProcess {
 public:
  explicit RanksInProcess(std::uint32_t ranks)
      : memory_(space::JobMemory::create(
            {.ranks = ranks,
             .ranks_per_process = ranks,
             // Not where the process's own job lies.
             .band_base = space::default_base + space::default_room / 2,
             .band_bytes = std::uint64_t{1} << 30,
             .cores = static_cast<std::uint32_t>(topology::usable_cores())})),
        mapping_(space::map_control(memory_.control.get()), descriptors()) {
    wait::start_waiting(mapping_.mapping().header());
    for (std::uint32_t r = 0; r < ranks; ++r)
      spaces_.push_back(std::make_unique<space::AddressSpace>(
          mapping_.mapping(), Rank(r), space::AddressSpace::BandFile{memory_.bands[r].get()}));
  }

  /// Runs body(world) on every rank; returns when all are through. Once.
  template <std::invocable<World&> Body>
  void run(Body body) {
    wait::RankContext* const sole = wait::set_sole_rank(nullptr);
    hosting::run(
        spaces_,
        [](void* callable, World& world) {
          (*static_cast<Body*>(callable))(world);
          return 0;
        },
        &body);
    wait::set_sole_rank(sole);
    wait::set_this_rank(sole);
  }

 private:
  [[nodiscard]] std::vector<int> descriptors() const {
    std::vector<int> fds;
    for (const auto& band : memory_.bands) fds.push_back(band.get());
    return fds;
  }

  space::JobMemory memory_;
  space::TemporaryMapping mapping_;
  hosting::HostedSpaces spaces_;
};

}  // namespace armature
