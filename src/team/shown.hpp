#pragma once

#include <cstddef>
#include <cstdint>

// The readers of what members show in a round: between nodes, only what is read there is sent. The
// same at all members.

namespace armature::team {

struct Shown {
  enum class By : std::uint8_t {
    everybody,
    root,    // alone
    blocks,  // of `bytes` each, one for each member, in team order
    // The root alone shows something, in the staging of others, who show nothing: the first
    // `pieces` members' are full of `bytes` each (the last one's of `last`).
    one_piece,  // each member reads its own
    all_pieces  // everybody reads all
  };
  By by = By::everybody;
  std::uint32_t root = 0;
  std::size_t bytes = 0;
  std::uint32_t pieces = 0;
  std::size_t last = 0;

  [[nodiscard]] bool is_in_pieces() const { return by == By::one_piece || by == By::all_pieces; }
  [[nodiscard]] std::size_t piece_bytes(std::uint32_t piece) const {
    return piece + 1 == pieces ? last : bytes;
  }
};

}  // namespace armature::team
