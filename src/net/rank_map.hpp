#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "space/address_space.hpp"

namespace armature::net {

/// The ranks for which other nodes reach this process, and the processes by which this one reaches
/// their ranks.
class RankMap {
 public:
  using Spaces = std::vector<space::AddressSpace*>;

  /// `spaces` are the ranks that this process hosts.
  RankMap(const space::Mapping& mapping, Spaces spaces);

  [[nodiscard]] const space::Mapping& mapping() const { return mapping_; }
  /// The address spaces of the ranks that are reached by this process: those that it hosted at
  /// first, or when all were last quiescent. Virtual ranks may have moved to another process of the
  /// node since.
  [[nodiscard]] const Spaces& spaces() const { return spaces_; }
  /// The place among those of a rank that may be in this process; -1 for other ranks.
  [[nodiscard]] int place_of(int rank) const {
    return rank >= 0 && rank < std::ssize(places_) ? places_[static_cast<std::size_t>(rank)] : -1;
  }
  [[nodiscard]] std::size_t places() const { return places_count_; }
  /// The address space of a rank that is reached by this process; nullptr for other ranks.
  [[nodiscard]] space::AddressSpace* space_of(int rank) const {
    if (rank < 0 || rank >= std::ssize(doors_)) return nullptr;
    const int door = doors_[static_cast<std::size_t>(rank)];
    return door >= 0 ? spaces_[static_cast<std::size_t>(door)] : nullptr;
  }
  /// The process by which other nodes reach a rank of this one.
  [[nodiscard]] int door_of(int rank) const { return processes_[static_cast<std::size_t>(rank)]; }
  /// The process by which a rank of another node is reached.
  [[nodiscard]] int process_of(int rank) const { return mapping_.slot(rank).process; }

  /// From now on the process hosts these, as slots of all ranks say.
  void host(Spaces spaces);

 private:
  const space::Mapping& mapping_;
  Spaces spaces_;
  // By rank.
  std::vector<int> places_, doors_;  // -1: not here, not of spaces_
  std::vector<int> processes_;       // as they were when the process began to host these
  std::size_t places_count_ = 0;
};

}  // namespace armature::net
