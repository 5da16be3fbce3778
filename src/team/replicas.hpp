#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "progress/network.hpp"
#include "space/team_block.hpp"

// A team that spreads over several nodes has a block on each, and each member's lines are brought
// to all of them. A member writes its line in its own node's block; the node's first member, once
// all of its node have entered the round, sends their lines to one process of each other node,
// which writes them into that node's block as the members would. So a round costs a node one
// message to each other node, however many members are there; on a node nothing changes.
//
// A block's line for round r is written only after all have entered round r - 1, that is when
// nobody reads round r - 2 any more: what holds on a node holds here, since the line of round r is
// sent after its member has seen everybody's of round r - 1.

namespace armature::team {

/// A team's block on this node, for what comes from others. Counted: every rank of the process that
/// is a member asks for it.
class Replica {
 public:
  explicit Replica(space::TeamBlock& block);
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;
  ~Replica();

  /// Whether members are on other nodes.
  [[nodiscard]] bool is_far() const { return !others_.empty(); }
  /// leader_of this team.
  [[nodiscard]] int leader() const { return leader_; }
  /// Whether all members of this node have entered that round.
  [[nodiscard]] bool have_entered(std::uint64_t round) const;
  /// Tells the other nodes what they show in it. By the leader.
  void send_round(std::uint64_t round) const;
  /// The same of one member, who gives the round up: others shall not wait for it.
  void send_line(int member, std::uint64_t round) const;
  /// Tells the other nodes of a wave of a fence.
  void send_wave(int member, std::uint64_t wave) const;

  /// The first member of this node, of a team that has one here: through its process the node hears
  /// of members on other nodes. When it dies the others here hear of nobody there any more.
  [[nodiscard]] static std::uint32_t leader_of(space::TeamBlock& block);

  static void install(transport::Links& links);

 private:
  space::TeamBlock& block_;
  std::vector<int> others_;          // a process of each other node
  std::vector<std::uint32_t> here_;  // members of this node
  int leader_ = 0;
};

}  // namespace armature::team
