#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/job_mutex.hpp"
#include "space/heap.hpp"
#include "space/heap_lock.hpp"
#include "space/kept_memory.hpp"
#include "space/mapping.hpp"

namespace armature::space {

/// The addresses of a rank's own segment under one lock: its heap, the list of what is allocated,
/// which others check addresses by, and what was freed and is kept for the next allocation.
///
/// Used by the rank itself, and by whoever takes in what comes for it from other nodes, under the
/// lock of the links. These two may be in different processes, of which one may be killed in the
/// heap: then all roll back to what was before. The rank lets that happen; a door does without.
class SegmentHeap {
 public:
  /// The memory file that the segment lies in, from where on. Must stay open.
  struct File {
    int descriptor;
    std::uint64_t offset = 0;
  };
  struct Failure {
    std::string limit;       // what stops it
    std::uint64_t free = 0;  // how much there would be
  };
  enum class By { rank, door };

  /// Makes the heap and lets others reach it. `mapping` must live as long.
  SegmentHeap(const Mapping& mapping, Rank me, const File& file);
  SegmentHeap(const SegmentHeap&) = delete;
  SegmentHeap& operator=(const SegmentHeap&) = delete;

  [[nodiscard]] Rank me() const { return me_; }

  [[nodiscard]] HeapLock lock(By by = By::rank) {
    return HeapLock(mutex_, static_cast<std::uint32_t>(job_.nodes),
                    [this, by] { return wait(by); });
  }
  /// A process is lost, and what is done until all roll back will not have been.
  [[nodiscard]] bool rolls_back() const;
  /// Sets the function that a rank calls instead of waiting for ever.
  static void let_others_run_by(void (*let_others_run)());

  /// Addresses alone: with large memory all else takes long, and others may want the heap
  /// meanwhile. On failure nullptr, and `failure` says why.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment, Failure& failure, By by);
  /// Gives back the pages and addresses of what nobody knows of any more.
  void give_back(void* address, std::size_t bytes, By by);
  /// Lists what was taken. Its address from now on; nullptr when its process rolls back, or when it
  /// is one too many.
  [[nodiscard]] void* record(void* address, std::size_t bytes, Allocation::Kind kind,
                             Failure& failure, By by);
  /// Takes an allocation off the list. How many bytes it had; 0 when its process rolls back;
  /// nothing when there is none.
  [[nodiscard]] std::optional<std::size_t> forget(void* address, Allocation::Kind kind, By by);

  // Local memory that was freed before, on the short way: compiled into its callers, without
  // exceptions.
  /// Memory that holds anything. nullptr: LocalMemory has more ways.
  [[nodiscard]] void* reuse(std::size_t bytes, std::size_t alignment);
  /// Frees local memory. False: LocalMemory has more ways.
  [[nodiscard]] bool keep(void* address);

  // Under the lock:
  /// The rank's heap; that which an address belongs to, which may be the one that is kept back for
  /// doors.
  [[nodiscard]] Heap& main() { return main_; }
  [[nodiscard]] Heap& heap_of(const void* address) {
    return address >= main_end_ ? for_doors_ : main_;
  }
  /// Behind the rank's heap.
  [[nodiscard]] std::byte* main_end() const { return main_end_; }
  [[nodiscard]] KeptMemory& kept() { return kept_; }
  /// Frees the addresses of kept blocks whose pages others have given back.
  void collect_emptied();

 private:
  [[nodiscard]] bool wait(By by);
  [[nodiscard]] void* take_from_main(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] void* reuse_small(std::size_t bytes, std::size_t alignment) noexcept;
  [[nodiscard]] void* reuse_large(std::size_t bytes, std::size_t alignment) noexcept;
  [[nodiscard]] bool keep_large(void* address, const Allocations::Found& found) noexcept;

  /// Under the lock: the fast path of every process looks at the extent, which only grows. Who gets
  /// the address from this rank gets it later than this store.
  void extend_to(const void* address, std::size_t bytes) {
    const std::size_t end = reinterpret_cast<std::uintptr_t>(address) + bytes - view_.begin;
    if (end > view_.extent) [[unlikely]]
      __atomic_store_n(&view_.extent, end, __ATOMIC_RELEASE);
  }

  // The rest of the list is kept back for doors.
  static constexpr std::size_t list_entries_of_rank = Allocations::count_max - 4096;

  const Mapping& mapping_;
  ControlHeader& job_;
  Rank me_;
  Allocations& list_;  // in the own segment's head
  detail::SegmentView& view_;
  // The rank may want memory, and whoever takes in what comes for it from other nodes: a thread of
  // its process, or of the one that the rank began in.
  base::JobMutex mutex_;
  Heap main_;
  // The end of the segment, kept back for what comes from other nodes (room_for_doors).
  Heap for_doors_;
  std::byte* main_end_ = nullptr;
  KeptMemory kept_;
};

inline void* SegmentHeap::reuse(std::size_t bytes, std::size_t alignment) {
  const HeapLock one_at_a_time = lock();
  if (!one_at_a_time.holds() || list_.count() >= list_entries_of_rank) return nullptr;
  return bytes - 1 < page_wise_min - 1 ? reuse_small(bytes, alignment)  // not 0
                                       : reuse_large(bytes, alignment);
}

/// Under the lock.
inline void* SegmentHeap::reuse_small(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t kind = SmallBlocks::kind_of(bytes);
  void* const address = kept_.small().first(kind, alignment);
  if (address == nullptr) return nullptr;
  if (!list_.add_again(reinterpret_cast<std::uint64_t>(address), bytes, Allocation::Kind::local))
    return nullptr;
  kept_.small().take_first(kind);
  extend_to(address, bytes);
  return address;
}

inline bool SegmentHeap::keep(void* address) {
  const HeapLock one_at_a_time = lock();
  if (!one_at_a_time.holds()) return false;
  const Allocations::Found found =
      list_.find_again(reinterpret_cast<std::uint64_t>(address), Allocation::Kind::local);
  if (found.is_none()) return false;
  if (found.bytes >= page_wise_min) return keep_large(address, found);
  if (!kept_.small().put(SmallBlocks::kind_of(found.bytes), address)) return false;
  list_.remove(found);
  return true;
}

}  // namespace armature::space
