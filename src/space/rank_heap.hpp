#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "space/rank_pages.hpp"
#include "space/spin_lock.hpp"
#include "space/tie.hpp"

namespace armature::space {

struct RankBlock;
class ThreadHeap;

/// The heap behind a virtual rank's malloc. It lies in the rank's segment with all its state, so it
/// goes wherever the rank goes. Blocks of about the same size share a list of free ones. An
/// allocation takes the first of a list, or memory that has never been used. The rank's process
/// uses the heap while the rank runs; anyone may give blocks back. It takes no lock unless nothing
/// is free: the rank's own threads have heaps of their own (ThreadHeap), and share what has never
/// been used.
class RankHeap {
 public:
  struct Range {
    std::byte* unused = nullptr;  // from here on nothing has been used
    std::byte* end = nullptr;

    [[nodiscard]] std::size_t bytes_left() const { return static_cast<std::size_t>(end - unused); }
  };
  /// Makes one at `near.unused`, in zero pages of shared memory, which are a multiple of the page
  /// size. What fits into the rest of `near` goes there, else into `far`, which lies above it.
  static RankHeap& create(Range near, Range far);

  /// Memory as malloc gives it, a multiple of 16. nullptr when there is no room.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// Memory as from allocate(), filled with zeros.
  [[nodiscard]] void* allocate_zeros(std::size_t bytes);
  /// `alignment` is a power of two.
  [[nodiscard]] void* allocate_aligned(std::size_t alignment, std::size_t bytes);
  /// By the rank. Ends the process, saying why, when it is not in use.
  void free(void* memory);
  /// By anyone else, of this process or another. The rank takes it back when it needs memory.
  void free_from_outside(void* memory);
  /// How much there is from there on, at least what was asked for.
  [[nodiscard]] static std::size_t usable_bytes(const void* memory);

  /// By the rank, before a thread of its own may allocate.
  void share() { is_shared_ = true; }

  /// Whole pages of zeros, as mmap gives them; `bytes` is a multiple of their size, and `alignment`
  /// is, too. nullptr when there is no room. By the rank or a thread of its own.
  [[nodiscard]] std::byte* map(std::size_t bytes, std::size_t alignment);
  /// By anyone, any part of what map() has given.
  void unmap(std::byte* pages, std::size_t bytes);
  /// Whether map() has given what lies there.
  [[nodiscard]] bool has_mapped(const void* address) const;

  Ties ties;  // of the rank to its process
  /// The files and streams that go with the rank, as malloc's library knows of them.
  struct Files {
    std::atomic<std::uint32_t> open{0};
    std::atomic<std::int32_t> holder{0};  // the process in which they are open, or 0: none yet
  };
  Files files;

  RankHeap(const RankHeap&) = delete;
  RankHeap& operator=(const RankHeap&) = delete;

 protected:
  using Block = RankBlock;
  static constexpr std::size_t kinds = 224;

  RankHeap() = default;
  void put(Block& block);
  void put_from_outside(Block& block);

  Range near_, far_;
  RankHeap* source_ = nullptr;  // of what has never been used, for a thread's

 private:
  friend ThreadHeap;
  [[nodiscard]] Block* take(std::size_t kind);
  [[nodiscard]] Block* take_shared(std::size_t kind, std::size_t bytes);
  [[nodiscard]] Block* take_other(std::size_t kind);
  [[nodiscard]] bool refill(std::size_t bytes);
  [[nodiscard]] bool take_back();
  static Block* carve(Range& range, std::size_t kind, std::size_t bytes);
  [[nodiscard]] std::byte* cut(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] bool make_room_for_pages();

  Block* free_[kinds] = {};
  alignas(64) std::atomic<Block*> from_outside_{nullptr};
  // Guards the members that follow, and far_ too as soon as the heap is shared.
  mutable SpinLock lock_;
  bool is_shared_ = false;
  std::byte* pages_end_ = nullptr;  // of all that was cut from the end of far_
  RankPages pages_;
  ThreadHeap* idle_ = nullptr;
};

}  // namespace armature::space
