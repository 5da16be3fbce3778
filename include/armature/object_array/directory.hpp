#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "armature/container/hash_table.hpp"
#include "armature/object_array/index.hpp"
#include "armature/object_array/record.hpp"
#include "armature/rank.hpp"
#include "armature/team.hpp"

namespace armature::detail {

/// A directory says where the elements of an object_array are, as far as one member knows. The home
/// of an index is the member that is asked when nothing is known: it hears of every move, and of
/// what exists.
template <class Index>
class ElementDirectory {
 public:
  explicit ElementDirectory(const Team& team) : team_(team), me_(team.rank()) {
    for (int m = 0; m < team.size(); ++m) ranks_.push_back(team.world_rank(m));
  }

  [[nodiscard]] const Team& team() const { return team_; }
  /// This member.
  [[nodiscard]] int me() const { return me_; }
  [[nodiscard]] Rank rank_of(int member) const { return ranks_[static_cast<std::size_t>(member)]; }

  [[nodiscard]] int home(const Index& index) const {
    const std::uint64_t hash = spread(IndexHash()(index));
    return static_cast<int>(((hash >> 32) * ranks_.size()) >> 32);
  }
  [[nodiscard]] Route& route(const Index& index) { return routes_[index]; }
  /// The rank by that route: where a call is sent.
  [[nodiscard]] Rank next_of(const Index& index, const Route& route) const {
    return rank_of(route.epoch == 0 ? home(index) : route.member);
  }
  /// The member that will probably execute a call.
  [[nodiscard]] int likely_member(const Index& index) const {
    const auto route = routes_.find(index);
    return route == routes_.end() || route->second.epoch == 0 ? home(index) : route->second.member;
  }
  /// The rank that will probably execute a call.
  [[nodiscard]] Rank likely(const Index& index) const {
    const auto route = routes_.find(index);
    return next_of(index, route == routes_.end() ? Route() : route->second);
  }
  /// Takes in where a record has gone.
  void learn(const Index& index, int member, std::uint64_t epoch) {
    Route& known = route(index);
    if (epoch <= known.epoch) return;
    known.member = member;
    known.epoch = epoch;
  }

  /// The elements that exist and whose home is here; also some on their way to or from existence.
  [[nodiscard]] std::vector<Index> at_home() const { return {living_.begin(), living_.end()}; }
  /// False at the home of an index that is there already.
  bool note_created(const Index& index) {
    return home(index) != me_ || living_.insert(index).second;
  }
  void note_destroyed(const Index& index) { living_.erase(index); }

 private:
  const Team team_;
  const int me_;
  std::vector<Rank> ranks_;  // of the members
  std::unordered_map<Index, Route, IndexHash> routes_;
  std::unordered_set<Index, IndexHash> living_;
};

}  // namespace armature::detail
