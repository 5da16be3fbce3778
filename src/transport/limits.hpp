#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engines/engine.hpp"

namespace armature::transport {

/// How transfers between nodes travel, by their size.
struct Limits {
  /// Up to here bytes are copied into packets, several transfers to a packet or several packets to
  /// a transfer; beyond, the engine takes them from where they lie, in pieces.
  /// ARMATURE_NET_COPY_MAX: 0 copies nothing, a large number everything.
  std::size_t copied_max = std::size_t{8} * 1024;

  /// Whether contiguous transfers use one-sided operations of the engine, and from which length on.
  /// ARMATURE_NET_ONE_SIDED: on (all that are not copied), off, or where-rdma, which is the
  /// default: where the network's hardware does them.
  EngineOptions::OneSided one_sided = EngineOptions::OneSided::where_rdma;
  [[nodiscard]] std::size_t one_sided_min() const {
    constexpr std::size_t word = 64;  // single words are read and written as one
    if (one_sided == EngineOptions::OneSided::on) return copied_max < word ? word : copied_max + 1;
    return std::size_t{64} * 1024;
  }
  /// The shortest run of bytes of a strided transfer, or of a list, that is worth an operation of
  /// the engine. Where shorter ones are to be moved, they are packed and travel as records.
  [[nodiscard]] std::size_t one_sided_run_min() const {
    constexpr std::size_t word = 64;
    return one_sided == EngineOptions::OneSided::on ? word : std::size_t{1024};
  }

  /// Whether 8-byte gets and atomics that somebody waits for use the engine's own.
  /// ARMATURE_NET_WORDS: probe, which is the default: where a probe finds them faster than records;
  /// engine: puts, too, and without a probe; or records.
  enum class Words { probed, engine, records } words = Words::probed;

  /// One way for all transfers, whatever their size, in place of the three settings above.
  /// ARMATURE_NET_PROTOCOL: packet (all is copied into packets), stream (nothing that can be lent
  /// is copied), or engine (the engine's own operations wherever it has them).
  enum class Forced { none, packet, stream, engine } forced = Forced::none;

  // With its heads a piece is a whole number of the longest packets of TCP that loopback takes
  // (64 KiB, heads included): a short packet at the end costs nearly as much as a long one.
  static constexpr std::size_t piece_bytes = std::size_t{252} * 1024;
  static constexpr std::size_t first_piece_bytes = piece_bytes / 4;  // one of these packets
  static constexpr std::size_t pieces_under_way = 16;  // of all transfers to one process

  /// Memory that is registered with the engine at a time, where the limit of locked memory is not
  /// smaller. ARMATURE_NET_REGISTERED_MAX.
  std::size_t registered_max = SIZE_MAX;

  /// So many transfers and atomics of a process that do not block, and so many bytes of them, are
  /// under way at most; who begins more completes the oldest first. ARMATURE_NET_PENDING_MAX,
  /// ARMATURE_NET_PENDING_BYTES.
  std::size_t pending_max = 4096;
  std::size_t pending_bytes_max = std::size_t{1} << 30;
  static constexpr std::uint64_t pending_most = std::uint64_t{1} << 19;  // that can be counted

  /// Rows of at least that length are gathered by an engine that can do so, instead of packed.
  /// Shorter ones are copied as soon as they are listed.
  static constexpr std::size_t gathered_min = 1024;

  /// Rows that are shorter are packed into pieces, of which each has room for one at least.
  [[nodiscard]] std::size_t packed_below() const {
    return copied_max == 0 ? 1 : std::min(2 * copied_max, piece_bytes);
  }

  /// This process's. Throws Error(start) when a setting is no number.
  [[nodiscard]] static const Limits& get();
};

}  // namespace armature::transport
