#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/network.hpp"
#include "space/address_space.hpp"
#include "space/team_block.hpp"
#include "team/nodes.hpp"
#include "team/shown.hpp"
#include "transport/links.hpp"

// A team that spreads over several nodes has a block on each, and each member's lines are brought
// to all of them. A member writes its line in its own node's block; the node's first member, once
// all of its node have entered the round, sends their lines to one process of another node, which
// writes them into that node's block as the members would, and so on (nodes.hpp). So a round costs
// messages between nodes, however many members are there; on a node nothing changes.
//
// A block's line for round r is written only after all have entered round r - 1, that is when
// nobody reads round r - 2 any more: what holds on a node holds here, since the line of round r is
// sent after its member has seen everybody's of round r - 1.

namespace armature::team {

/// A team's block on this node, for what comes from others, as one member sees it. That comes to
/// the process by which the node's first member is reached, wherever that is: so the member tells
/// that process of the block. What follows from the team's members alone each process keeps once
/// for all members that it hosts.
class Proxy {
 public:
  Proxy(space::AddressSpace& space, space::TeamBlock& block);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();

  /// Whether members are on other nodes.
  [[nodiscard]] bool is_far() const { return is_far_; }
  /// All nodes of the team, where the job has several.
  [[nodiscard]] const Nodes& nodes() const;
  /// leader_of this team.
  [[nodiscard]] int leader() const { return leader_; }

  // By the leader, again and again until the round or wave is complete: tells other nodes what they
  // are to hear from this one, as far as it is known here and was not told yet.
  void tell_round(std::uint64_t round, const Shown& shown);
  void tell_wave(std::uint64_t wave);
  /// Whether that would tell anything.
  [[nodiscard]] bool may_tell_wave(std::uint64_t wave) const;

  /// Tells all other nodes what one member shows, who gives the round up: others shall not wait.
  void send_line(int member, std::uint64_t round, const Shown& shown) const;
  /// Whether the leader tells of waves. In a job that goes on after deaths each member does so
  /// itself, in case the leader is the one that dies.
  [[nodiscard]] bool waves_are_gathered() const;
  void send_wave(int member, std::uint64_t wave) const;

  /// Tells all other nodes of one that a member here shows.
  void send_breakdown(int member, std::uint64_t word) const;

  /// The first member of this node, of a team that has one here: through its process the node hears
  /// of members on other nodes. When it dies the others here hear of nobody there any more.
  [[nodiscard]] static std::uint32_t leader_of(space::TeamBlock& block);

  /// The rank goes to another process: nothing of this one is kept.
  void leave_process();

 private:
  void send_round(const NodeEdge& edge, std::uint64_t round, const Shown& shown) const;
  void append_pieces(transport::Link& link, NodeRange to, std::uint64_t round,
                     const Shown& shown) const;
  void append_line(transport::Link& link, const NodeEdge& edge, std::uint32_t member,
                   std::uint64_t round, const Shown& shown) const;
  [[nodiscard]] bool may_tell_wave(std::size_t edge, std::uint64_t wave) const;

  space::AddressSpace& space_;
  space::TeamBlock& block_;
  const std::uint32_t team_;
  // Set in the process in which nodes() was called last.
  mutable const Nodes* nodes_ = nullptr;
  mutable int process_ = -1;
  std::vector<std::uint64_t> rounds_told_, waves_told_;  // to each edge of the node, the last one
  int leader_ = 0;
  bool is_far_ = false;
  bool leads_ = false;
};

}  // namespace armature::team
