#pragma once

#include <array>
#include <cstdint>

#include "space/address_space.hpp"
#include "space/team_block.hpp"
#include "team/nodes.hpp"
#include "transport/links.hpp"

// The registry of a process for teams that spread over several nodes. It knows which member is on
// which node, once for all members that the process hosts. It also knows where the block of a team
// is whose news from other nodes comes to this process. Such news comes to the process by which the
// node's first member is reached, wherever that member is. So a member in another process tells
// this one of the block by a list.

namespace armature::team {

class Registry {
 public:
  /// By a member in this process; as long as it does not leave.
  [[nodiscard]] static const Nodes& join(std::uint32_t team, space::TeamBlock& block);
  static void leave(std::uint32_t team);

  /// By the node's first member: what comes for the team is written there; nullptr: nothing comes
  /// any more. Throws Error(out_of_memory).
  static void tell(space::AddressSpace& member, std::uint32_t team, space::TeamBlock* block);
  /// Takes in what members in other processes have told; whether one is to tell of a team for which
  /// something has come: nobody is where the job goes on after deaths, as ranks stay in their
  /// processes then. Under the links' lock.
  static bool look();
  /// Records that wait until a member tells of their team. Under the links' lock.
  [[nodiscard]] static std::size_t kept();

  static const std::array<transport::Handling, 4> handlers;
  /// No team is known any more. Under the links' lock.
  static void forget_all();
};

}  // namespace armature::team
