#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace armature::space {

/// By which way a node's ranks copy, for each kind of copy; what kinds and ways there are is known
/// above (copies/choice.hpp). Zeros: nothing is chosen yet. In the control block, so that one rank
/// chooses for all of the node.
struct CopyChoices {
  static constexpr std::size_t kinds = 8;
  /// The states of a kind: open, being chosen by some rank, or chosen. A chosen kind holds `chosen`
  /// plus the number of the way.
  static constexpr std::uint8_t open = 0, being_chosen = 1, chosen = 2;

  // From open to being chosen by the rank that chooses, and then to what it has chosen by the same
  // one. Should it die between, the kind stays without a choice. Relaxed: nothing else is told.
  std::array<std::atomic<std::uint8_t>, kinds> way{};
  // From how many bytes on stores go past the cache; 0: nobody has looked.
  std::atomic<std::uint64_t> past_cache_min{0};
  // Kinds that were tried, bytes that this took beyond those that were to be copied, and its time.
  std::atomic<std::uint32_t> trials{0};
  std::atomic<std::uint64_t> bytes_tried{0}, ns_tried{0};
};

}  // namespace armature::space
