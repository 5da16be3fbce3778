#pragma once

#include <cstdint>

#include "space/kept_blocks.hpp"
#include "space/mapping.hpp"
#include "space/reservations.hpp"
#include "topology/memory.hpp"

namespace armature::space {

/// The memory of this node as its ranks share it: what they were promised and is not there yet, and
/// what they have freed and keep. A value, as is the mapping that it looks at.
class NodeMemory {
 public:
  explicit NodeMemory(const Mapping& mapping) : mapping_(mapping) {}

  /// The account of memory that is promised and not there yet.
  [[nodiscard]] Reservations reservations() const { return Reservations(mapping_.control()); }
  /// Whether large local memory is reserved, but has no pages before they are touched. Virtual
  /// ranks take their memory to other nodes and other jobs, which have promised nothing.
  [[nodiscard]] bool is_lazy() const { return mapping_.header().ranks_are_virtual == 0; }

  /// The blocks that a rank of this node has freed and keeps.
  [[nodiscard]] KeptBlocks& kept_blocks(int rank) const;
  /// How many bytes of large blocks one rank keeps at most.
  [[nodiscard]] std::uint64_t kept_bytes_max() const;
  /// Gives back the pages of one that belongs to no allocation, and what was promised for it.
  void empty(const KeptBlocks::Block& block, int rank) const;
  /// Gives back the pages of what that rank keeps.
  void empty_kept(int rank) const;
  /// Gives back the pages of what all ranks of this node keep. Promises that were kept by now end.
  void relieve() const;
  /// How much more of the node's memory can be had; if that is less than `wanted`, of all that is
  /// not in use.
  [[nodiscard]] topology::MemoryRoom room_for(std::uint64_t wanted) const;

 private:
  void count_lazy(int rank) const;

  const Mapping& mapping_;
};

}  // namespace armature::space
