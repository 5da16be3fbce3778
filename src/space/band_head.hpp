#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// The first pages of every band, before its heap: what other ranks of the node write to or read from
// this rank without asking. Sparse: only pages that are used exist.

namespace armature::space {

/// A lock that knows its holder: 0 free, else holder + 1, and a bit that says somebody sleeps on it.
using LockWord = std::atomic<std::uint64_t>;

/// Accumulate locks chunks of memory, not ranks: chunk k of the band is guarded by lock k % count.
inline constexpr std::size_t chunk_bytes = 64 * 1024;
inline constexpr std::size_t chunk_locks = 64;

struct alignas(64) ChunkLock {
  LockWord word{0};
};

/// One line per other rank.
struct alignas(64) PeerLine {
  std::atomic<std::uint64_t> notified{0};  // how often that peer has notified me; it writes
  std::uint64_t consumed = 0;              // how many of those I have waited for; I write
  std::atomic<std::uint64_t> mailbox{0};   // address of its ring of messages to me, in its band; it writes
};

struct BandHead {
  static constexpr std::uint64_t expected_magic = 0x3142'444e'4142'5241;

  std::uint64_t magic = expected_magic;
  std::uint64_t heap_offset = 0;
  ChunkLock chunk_lock[chunk_locks];

  [[nodiscard]] PeerLine& peer(int rank) {
    return reinterpret_cast<PeerLine*>(reinterpret_cast<std::byte*>(this) + sizeof(BandHead))[rank];
  }
  /// Where the heap begins in a band of a job of that many ranks: a multiple of the chunk size.
  [[nodiscard]] static std::size_t bytes(std::uint32_t ranks) {
    const std::size_t head = sizeof(BandHead) + ranks * sizeof(PeerLine);
    return (head + chunk_bytes - 1) / chunk_bytes * chunk_bytes;
  }
};

}  // namespace armature::space
