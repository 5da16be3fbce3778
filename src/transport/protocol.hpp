#pragma once

#include <cstddef>

namespace armature::transport {

/// How transfers between nodes travel, by their size.
struct Protocol {
  /// Up to here bytes are copied into packets, several transfers to a packet or several packets to
  /// a transfer; beyond, the engine takes them from where they lie, in pieces.
  /// ARMATURE_NET_COPY_MAX: 0 copies nothing, a large number everything.
  std::size_t copied_max = std::size_t{8} * 1024;

  static constexpr std::size_t piece_bytes = std::size_t{64} * 1024;
  static constexpr std::size_t puts_under_way = 16;    // pieces of a put or accumulate
  static constexpr std::size_t answers_under_way = 8;  // pieces of what a get asks for

  /// Of an answer, rows that are shorter are packed into pieces.
  [[nodiscard]] std::size_t packed_below() const { return copied_max == 0 ? 1 : 2 * copied_max; }

  /// This process's. Throws Error(start) when the setting is no number.
  [[nodiscard]] static const Protocol& get();
};

}  // namespace armature::transport
