#pragma once

#include <array>
#include <cstddef>

#include "armature/detail/method.hpp"
#include "armature/detail/reply.hpp"
#include "rmi/blocks.hpp"
#include "transport/links.hpp"

// Answers and long arguments between nodes. An answer is written into a stand-in for the asker's
// reply slot and then sent, its result with it where a packet has room for that. What is longer
// lies in a block of the other's segment, is fetched into one of the own, and the other's given
// back.

namespace armature::rmi {

/// A reply slot here for an asker on another node.
struct StandIn {
  detail::Reply reply;
  detail::Reply* asked_for = nullptr;  // the asker's
  std::uint32_t promise = 0;           // its number, if this answers one
};

/// The answer is written: makes it visible to the asker, on whatever node.
void answer(space::AddressSpace& space, const detail::Call& call, detail::Reply::State state);

/// A block of ours for what lies in a block of a remote rank, which is given back where there is
/// no room.
[[nodiscard]] std::byte* room_to_fetch(space::AddressSpace& space, Blocks& blocks,
                                       const std::byte* block, std::size_t bytes);
/// Fetches the bytes of a block in a remote rank's segment into that room, and gives the block
/// back. The room is marked done as that would be, also when this throws. Needs no endpoint.
void fetch_into(std::byte* room, space::AddressSpace& space, Rank owner, const std::byte* block,
                std::size_t bytes);
/// A block that we need no more, on whatever node it lies.
void give_back_block(space::AddressSpace& space, std::byte* block);

extern const std::array<transport::Handling, 2> reply_handlers;

}  // namespace armature::rmi
