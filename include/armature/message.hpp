#pragma once

#include <cstddef>
#include <span>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

namespace armature {

/// Two-sided messages, for start-up and for code that was written with them; one-sided transfers
/// are what Armature is for. A message is matched by sender and tag; those of one sender with one
/// tag arrive in the order they were sent. Tags are 0 or more.

/// Returns when `data` may be reused. Blocks, delivering incoming messages, while the receiver's
/// mailbox is full.
ARMATURE_API void send(Rank to, int tag, std::span<const std::byte> data);

struct Received {
  Rank from;
  std::size_t bytes = 0;
};
/// Waits for a message from `from` (Rank::none(): from anyone) with that tag, copies it to `into`.
/// Throws Error(bad_argument) when it is longer than `into`; the message is then kept.
ARMATURE_API Received receive(Rank from, int tag, std::span<std::byte> into);

}  // namespace armature
