#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/job_mutex.hpp"
#include "space/heap.hpp"
#include "space/heap_lock.hpp"
#include "space/mapping.hpp"
#include "space/small_blocks.hpp"
#include "space/symmetric_area.hpp"

namespace armature::space {

/// The global address space as one rank sees it: what its process has mapped, and the heap in the
/// rank's own band. Used by that rank, and by its door (net/network.hpp).
class AddressSpace : public Mapping {
 public:
  /// The memory file that the band lies in, from where on. Must stay open.
  struct BandFile {
    int descriptor;
    std::uint64_t offset = 0;
  };
  /// Makes the heap and lets others reach it.
  AddressSpace(const Mapping& mapping, Rank me, BandFile file);
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  [[nodiscard]] Rank me() const { return me_; }

  struct Failure {
    std::string limit;       // what stops it
    std::uint64_t free = 0;  // how much there would be
  };
  /// Who uses the heap: the rank itself, or whoever takes in what comes for it from other nodes,
  /// under the lock of the links. These two may be in different processes, of which one may be
  /// killed in the heap: then all go back to what was before. The rank lets that happen; a door
  /// does without, and goes_back().
  enum class By { rank, door };
  /// A process is lost, and what is done until all go back will not have been.
  [[nodiscard]] bool goes_back() const;
  /// What a rank does instead of waiting for ever.
  static void let_others_run_by(void (*let_others_run)());

  /// Zero-filled, reserved memory in the own band. On failure nullptr, and `failure` says why.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, Allocation::Kind kind,
                               Failure& failure, By by = By::rank);
  /// What new memory holds: zeros, or whatever was there.
  enum class Contents { zeros, any };
  /// The rank's own, as malloc gives it. What was freed is kept for the next: most allocations take
  /// no new pages. The pages of a large one are reserved, and come when they are touched.
  [[nodiscard]] void* allocate_local(std::size_t bytes, std::size_t alignment, Contents contents,
                                     Failure& failure);
  // Most calls for local memory need no more than these, which are compiled into their callers
  // (space/local_memory.hpp):
  /// Memory that was freed and holds anything. nullptr: call allocate_local.
  [[nodiscard]] void* reuse(std::size_t bytes, std::size_t alignment);
  /// Frees local memory. False: call free.
  [[nodiscard]] bool keep(void* address);
  /// For the library's own structures that are used in part.
  [[nodiscard]] void* allocate_sparse(std::size_t bytes, Failure& failure);
  /// For what goes to another rank. Of virtual ranks there may be many, which have little to say to
  /// each other: theirs is sparse.
  [[nodiscard]] void* allocate_ring(std::size_t bytes, Failure& failure);
  /// The memory file of all bands is open under that number in this process.
  static void use_file(int descriptor) { Heap::use_file(descriptor); }
  /// False when nothing of that kind begins there.
  [[nodiscard]] bool free(void* address, Allocation::Kind kind, By by = By::rank);

  // Symmetric memory (space/symmetric.cpp): whole pages, at a distance from the segment's beginning
  // that its allocators choose. It lies behind the heap, which grows towards it.
  /// The highest distance at which so many bytes are free, up to `end_max`.
  [[nodiscard]] std::optional<std::uint64_t> place_for_symmetric(std::size_t bytes,
                                                                 std::uint64_t end_max);
  /// Zero-filled. On failure nullptr, and `failure` says why.
  [[nodiscard]] void* allocate_symmetric(std::uint64_t offset, std::size_t bytes, Failure& failure);
  /// Whether such a block begins there.
  [[nodiscard]] bool is_symmetric(const void* address);
  void free_symmetric(void* address);

  /// By the rank, when it has nothing to do: what it has not used for a while it does not keep.
  void rest();
  /// The rank leaves the job.
  void end_promises();

  /// Frees a team's block of this band once no member uses it any more: when the rank asks for
  /// memory next, or lets go of another block.
  void free_when_unused(TeamBlock& block);

 private:
  [[nodiscard]] HeapLock lock_heap(By by) {
    return HeapLock(heap_mutex_, header().nodes, [&] { return wait_for_heap(by); });
  }
  [[nodiscard]] bool wait_for_heap(By by);
  [[nodiscard]] int process() const { return slot(me_).process.load(std::memory_order_relaxed); }
  [[nodiscard]] bool reserve(std::size_t bytes, Failure& failure) const;
  void free_unused_blocks();
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment, Failure& failure, By by);
  [[nodiscard]] void* take_from_heap(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] void* make(std::size_t bytes, std::size_t alignment, bool lazily, Failure& failure,
                           By by);
  [[nodiscard]] bool fill(void* address, std::size_t bytes, std::size_t reserved, bool lazily);
  [[nodiscard]] bool fill_small(void* address, std::size_t bytes, Failure& failure);
  void give_back(void* address, std::size_t bytes, By by);
  [[nodiscard]] void* record(void* address, std::size_t bytes, Allocation::Kind kind,
                             Failure& failure, By by);
  [[nodiscard]] Heap& heap_of(const void* address) {
    return address >= for_doors_begin_ ? for_doors_ : heap_;
  }
  [[nodiscard]] bool add(void* address, std::size_t bytes, Allocation::Kind kind, Failure& failure,
                         By by);
  [[nodiscard]] std::optional<std::size_t> forget(void* address, Allocation::Kind kind, By by);
  [[nodiscard]] bool take_symmetric(std::uint64_t offset, std::size_t bytes);
  void release_symmetric(std::uint64_t offset);

  // Local memory:
  [[nodiscard]] bool is_lazily_made(std::size_t bytes) const {
    return bytes >= page_wise_min && is_lazy() && !Heap::keeps_pages();
  }
  using Block = KeptBlocks::Block;
  [[nodiscard]] void* allocate_small(std::size_t bytes, std::size_t alignment, Contents contents,
                                     Failure& failure);
  [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment, Contents contents,
                                     Failure& failure);
  [[nodiscard]] void* take_small(std::size_t kind, std::size_t alignment);
  [[nodiscard]] std::optional<Block> take_kept(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] void* reuse_small(std::size_t bytes, std::size_t alignment) noexcept;
  [[nodiscard]] void* reuse_large(std::size_t bytes, std::size_t alignment) noexcept;
  [[nodiscard]] bool keep_large(void* address, const Allocations::Found& found) noexcept;
  [[nodiscard]] void* take_zeros(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] bool free_local(void* address);
  [[nodiscard]] bool keep(const Block& block);
  void note_taken(const Block& block);
  [[nodiscard]] bool keep_instead_of_others(const Block& block);
  void let_go(const Block& block);
  void collect_emptied();
  [[nodiscard]] std::uint64_t kept_max() const;

  /// Under the lock: the fast path of every process looks at the extent, which only grows. Who gets
  /// the address from this rank gets it later than this store.
  void extend_to(const void* address, std::size_t bytes) {
    const std::size_t end = reinterpret_cast<std::uintptr_t>(address) + bytes - view_.begin;
    if (end > view_.extent) [[unlikely]]
      __atomic_store_n(&view_.extent, end, __ATOMIC_RELEASE);
  }

  // The rest of the list is kept back for doors.
  static constexpr std::size_t list_entries_of_rank = Allocations::count_max - 4096;

  Rank me_;
  // In the own band's head:
  Allocations& list_;
  KeptBlocks& kept_blocks_;
  detail::BandView& view_;
  // The rank may want memory, and whoever takes in what comes for it from other nodes: a thread of
  // its process, or of the one that the rank began in.
  base::JobMutex heap_mutex_;
  Heap heap_;
  // The end of the band, kept back for what comes from other nodes (see room_for_doors).
  Heap for_doors_;
  std::byte* for_doors_begin_ = nullptr;
  std::optional<SymmetricArea> symmetric_;  // of the band, once there is some
  // Under that mutex: what was freed and is kept, beside kept_blocks_; how many bytes that has,
  // and how often either has changed.
  SmallBlocks small_;
  std::uint64_t kept_bytes_ = 0, kept_max_ = 0;  // the latter is 0 until somebody has looked
  std::uint64_t uses_ = 0;
  // When rest() has first seen so many uses.
  std::uint64_t uses_seen_ = 0, quiet_since_ns_ = 0;
  // Team blocks that this rank has let go of, and other members may not yet. Under the mutex.
  std::vector<TeamBlock*> retired_;
};

}  // namespace armature::space
