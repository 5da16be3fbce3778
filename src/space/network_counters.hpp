#pragma once

#include <atomic>
#include <cstdint>

namespace armature::space {

/// The network of a process, as others see it: `armature inspect`, and tests. In the block of its
/// own node. Written by the process alone.
struct alignas(128) NetworkCounters {
  // The thread that serves other nodes while the process's ranks compute (net/progress_thread.hpp).
  std::atomic<std::uint32_t> server_polls{0};   // 1: it polls and never sleeps
  std::atomic<std::uint64_t> server_sleeps{0};  // system calls in which it has slept
  // Chunks of memory that the engine reaches by itself (rma/engine_transfer.hpp).
  std::atomic<std::uint64_t> registered{0};  // since the start
  std::atomic<std::uint64_t> reused{0};      // questions for one that was registered already
  std::atomic<std::uint64_t> evicted{0};     // registrations that made room for others
  std::atomic<std::uint64_t> refused{0};     // questions that found no room: records instead
  // Copies by this process of what transfers between nodes carry, in bytes.
  std::atomic<std::uint64_t> copied_out{0};  // into packets and pieces, from where they lay
  std::atomic<std::uint64_t> copied_in{0};   // from what the engine has received, to their places

  /// One more, by the only one who writes.
  static void add(std::atomic<std::uint64_t>& count, std::uint64_t more = 1) {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

}  // namespace armature::space
