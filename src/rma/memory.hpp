#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "armature/expose.hpp"
#include "space/mapping.hpp"

namespace armature::rma {

/// The kind of memory on the other side of an operation. It decides which protocol moves the data.
struct Memory {
  /// In the order of how much it takes to reach it: who can reach one reaches those before.
  enum class Is {
    segment,  // mapped in all processes of its node
    host,     // its process's own; or mapped there like a segment, but in none
    routine,  // touched by the routines of a MemoryKind alone
    count
  };
  Is is = Is::segment;
  const MemoryKind* kind = nullptr;  // in its own process
  bool is_remote = false;            // on another node

  /// Becomes the kind that holds for both.
  void take_in(const Memory& other) {
    if (other.is > is || other.is_remote)
      *this = {std::max(is, other.is), other.kind, other.is_remote};
  }
};

/// The kind of those bytes of a rank of this node; nothing when they are neither in its segment nor
/// exposed.
inline std::optional<Memory> memory_at(const space::Mapping& mapping, int rank,
                                       std::uint64_t address, std::uint64_t bytes) {
  if (mapping.holds(rank, address, bytes)) return Memory{};
  const space::Exposures* const list = mapping.exposures(rank);
  if (list == nullptr) return std::nullopt;
  const auto range = list->holding(address, bytes);
  if (!range) return std::nullopt;
  if (range->kind == 0) return Memory{.is = Memory::Is::host};
  return Memory{Memory::Is::routine, reinterpret_cast<const MemoryKind*>(range->kind)};
}

}  // namespace armature::rma
