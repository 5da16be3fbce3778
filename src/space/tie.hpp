#pragma once

#include <atomic>
#include <cstdint>

namespace armature::space {

/// The reason why a virtual rank must stay in its process: it can neither continue in another one
/// nor be written to a checkpoint.
enum class Tie : std::uint32_t { none, stays_here, threads, mappings, files, no_room };

/// For a sentence about the rank.
constexpr const char* text(Tie tie) {
  switch (tie) {
    case Tie::stays_here:
      return "holds something of its process (Pinned)";
    case Tie::threads:
      return "has threads of its own that have not ended";
    case Tie::mappings:
      return "has memory that it has mapped itself (mmap)";
    case Tie::files:
      return "has a pipe, a socket, a record lock or another file open that is its process's";
    case Tie::no_room:
      return "keeps more in its process's memory than its segment has room for";
    case Tie::none:
      break;
  }
  return "holds nothing";
}

/// The ties that malloc's library knows of. Any thread of the rank's process counts them.
struct Ties {
  std::atomic<std::uint32_t> threads{0};   // that the rank has started, or they, and that run
  std::atomic<std::uint32_t> mappings{0};  // that lie outside its segment
  std::atomic<std::uint32_t> files{0};     // that cannot be open in another process

  /// Acquire: what a thread has done comes before what its rank does elsewhere.
  [[nodiscard]] Tie tie() const {
    if (threads.load(std::memory_order_acquire) != 0) return Tie::threads;
    if (mappings.load(std::memory_order_acquire) != 0) return Tie::mappings;
    return files.load(std::memory_order_acquire) != 0 ? Tie::files : Tie::none;
  }
};

}  // namespace armature::space
