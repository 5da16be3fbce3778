#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fail.hpp"

// The first pages of every segment, before its heap: what other ranks of the node write to or read
// from this rank without asking. Zeros are what it begins as. Sparse: only pages that are used
// exist.

namespace armature::space {

/// A lock that knows its holder: 0 free, else holder + 1, and a bit that says somebody sleeps on
/// it.
using LockWord = std::atomic<std::uint64_t>;

/// Accumulate locks chunks of memory, not ranks: chunk k of the segment is guarded by lock k %
/// count.
inline constexpr std::size_t chunk_bytes = 64 * 1024;
inline constexpr std::size_t chunk_locks = 64;

struct alignas(64) ChunkLock {
  LockWord word{0};
};

/// One line per other rank.
struct alignas(64) PeerLine {
  std::atomic<std::uint64_t> notified{0};  // how often that peer has notified me; it writes
  std::atomic<std::uint64_t> consumed{0};  // how many of those I have waited for; I write
  // Addresses in its segment, which it writes: of its ring of messages to me, of its channel of
  // requests.
  std::atomic<std::uint64_t> mailbox{0};
  std::atomic<std::uint64_t> channel{0};
  // The peer that has opened a mailbox or channel just before that one: see NewConnections, in the
  // rank's slot.
  std::atomic<std::uint32_t> mailbox_before{0};
  std::atomic<std::uint32_t> channel_before{0};
  // The call by which the two were to make a team, which that peer has refused; 0 once I have seen
  // it. It writes, and I write 0 (src/team/refusal.hpp).
  std::atomic<std::uint64_t> refused{0};
};
static_assert(sizeof(PeerLine) == 64);

struct SegmentHead {
  ChunkLock chunk_lock[chunk_locks];
  /// The address, in the segment, of the rank's list of memory that it exposes beside the segment
  /// (exposures.hpp); 0: it has none. The rank writes it.
  alignas(64) std::atomic<std::uint64_t> exposures{0};
  /// How often the rank has looked for any of several things (wait/turn_of_looks.hpp). It writes.
  std::atomic<std::uint32_t> looks{0};

  [[nodiscard]] PeerLine& peer(int rank) {
    return reinterpret_cast<PeerLine*>(reinterpret_cast<std::byte*>(this) +
                                       sizeof(SegmentHead))[rank];
  }
  /// Those who came after `seen`, up to `last`, in the order in which they came.
  [[nodiscard]] std::vector<int> opened_since(std::uint32_t last,
                                              std::atomic<std::uint32_t> PeerLine::*before,
                                              std::uint32_t seen, int ranks) {
    std::vector<int> opened;
    for (std::uint32_t number = last; number != seen && number != 0;) {
      ARMATURE_ASSERT(number <= static_cast<std::uint32_t>(ranks));
      opened.push_back(static_cast<int>(number) - 1);
      number = (peer(opened.back()).*before).load(std::memory_order_relaxed);
    }
    std::reverse(opened.begin(), opened.end());
    return opened;
  }
  /// The offset of the heap in a segment of a job of that many ranks: a multiple of the chunk size.
  /// `world_block_bytes` is room kept in every head for the world's team block (used in rank 0's).
  [[nodiscard]] static std::size_t heap_start(std::uint32_t ranks, std::size_t world_block_bytes) {
    const std::size_t head = world_block_offset(ranks) + world_block_bytes;
    return (head + chunk_bytes - 1) / chunk_bytes * chunk_bytes;
  }
  [[nodiscard]] static std::size_t world_block_offset(std::uint32_t ranks) {
    return (allocations_offset(ranks) + allocations_room + 4095) / 4096 * 4096;
  }
  /// The list of what is allocated in this segment; see allocations.hpp.
  [[nodiscard]] static std::size_t allocations_offset(std::uint32_t ranks) {
    return kept_blocks_offset(ranks) + kept_blocks_room;
  }
  /// The offset of the list of freed blocks that keep their pages; see kept_blocks.hpp. It is on
  /// the first page of the list of allocations, which every rank has that has allocated something.
  [[nodiscard]] static std::size_t kept_blocks_offset(std::uint32_t ranks) {
    return (calls_offset(ranks) + ranks * calls_bytes + 4095) / 4096 * 4096;
  }
  /// The offset of the table of the rank's remote calls to each other rank, which begins as zeros.
  /// It lies here since in the heap a large block costs a page even when it is never touched.
  [[nodiscard]] static std::size_t calls_offset(std::uint32_t ranks) {
    return sizeof(SegmentHead) + ranks * sizeof(PeerLine);
  }
  static constexpr std::size_t calls_bytes = 96;
  static constexpr std::size_t kept_blocks_room = 1024;
  static constexpr std::size_t allocations_room = 16 * 1024 * 1024 - kept_blocks_room;
};

}  // namespace armature::space
