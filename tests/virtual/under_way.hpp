#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <armature/collectives_async.hpp>

#include "checks.hpp"

/// Collectives that a rank has under way while it goes elsewhere, short ones and long ones.
class UnderWay {
 public:
  /// All ranks begin them.
  explicit UnderWay(armature::World& world) : world_(world) {
    const auto ranks = static_cast<std::size_t>(world.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sums_[i].assign(sizes[i], world.rank() + 1);
      mine_[i].assign(sizes[i] * ranks, world.rank());
      all_[i].assign(sizes[i] * ranks, -1);
      handles_.push_back(allreduce_async(world, std::span(sums_[i])));
      handles_.push_back(
          alltoall_async(world, std::span<const long>(mine_[i]), std::span(all_[i])));
      handles_.push_back(barrier_async(world));
    }
  }
  /// Waits for all of them, and looks what has come.
  void finish() {
    for (armature::Handle& one : handles_) one.wait();
    const long ranks = world_.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      for (const long sum : sums_[i])
        require(sum == ranks * (ranks + 1) / 2, "a sum that was under way is wrong");
      for (std::size_t at = 0; at < all_[i].size(); ++at)
        require(all_[i][at] == static_cast<long>(at / sizes[i]), "a block has got lost on its way");
    }
  }

 private:
  static constexpr std::array<std::size_t, 3> sizes{1, 700, 30'000};
  armature::World& world_;
  std::array<std::vector<long>, sizes.size()> sums_, mine_, all_;
  std::vector<armature::Handle> handles_;
};

/// A message that nobody has received yet, a notification nobody has waited for, and collectives
/// that are under way: they come along.
class LeftOver {
 public:
  LeftOver(armature::World& world, int round) : world_(world), round_(round), collectives_(world) {
    const armature::Rank to((world.rank() + 1) % world.size());
    armature::send(to, 2, round);
    armature::notify(to);
  }
  void take() {
    const armature::Rank from((world_.rank() + world_.size() - 1) % world_.size());
    armature::wait_notify(from);
    require(armature::receive<int>(from, 2) == round_, "what was sent before is another message");
    collectives_.finish();
  }

 private:
  armature::World& world_;
  int round_;
  UnderWay collectives_;
};
