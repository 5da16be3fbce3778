#include "space/address_space.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "base/valgrind.hpp"
#include "space/pages.hpp"
#include "space/virtual_band.hpp"

namespace armature::space {

namespace {

/// What a rank cannot allocate, so that its door can: a remote call or a message of another node
/// needs a place where the rank reads it, and comes whether or not the rank has memory left. On one
/// node that place is the sender's. Address space only: pages exist when it is used. Enough for
/// every other rank to send both, where that is no more than an eighth of the heap. Virtual ranks
/// keep it on one node, too, since they may go on from a checkpoint on several.
std::size_t room_for_doors(const ControlHeader& job, std::size_t heap_bytes) {
  if (job.nodes < 2 && job.ranks_are_virtual == 0) return 0;
  constexpr std::size_t bytes_of_peer = 160 * 1024;  // a ring, a channel of the usual size
  return page_below(std::min((job.ranks - 1) * bytes_of_peer + page_bytes, heap_bytes / 8));
}

}  // namespace

AddressSpace::AddressSpace(const Mapping& mapping, Rank me, BandFile file)
    : Mapping(mapping),
      me_(me),
      list_(allocations(me)),
      kept_blocks_(kept_blocks(me)),
      view_(view(me)) {
  const std::size_t heap_end =
      header().ranks_are_virtual != 0 ? VirtualBand(header()).heap_end() : band_bytes();
  const std::size_t all_bytes = page_below(heap_end - heap_offset());
  const std::size_t door_bytes = room_for_doors(header(), all_bytes);
  const std::size_t heap_bytes = all_bytes - door_bytes;
  heap_ = Heap::create(band(me) + heap_offset(), heap_bytes, file.descriptor,
                       file.offset + heap_offset());
  for_doors_begin_ = band(me) + heap_offset() + heap_bytes;
  for_doors_ = Heap::create(for_doors_begin_, door_bytes, file.descriptor,
                            file.offset + heap_offset() + heap_bytes);
  view_.begin = reinterpret_cast<std::uintptr_t>(band(me)) + heap_offset();
}

namespace {

struct Waiting {
  void (*let_others_run)() = [] {};
};

/// Pages of a band are made through its file.
AddressSpace::Failure why_not_filled(int error, std::uint64_t free) {
  if (error == EBADF)
    return {
        "the program has closed the job's memory files (as closing all descriptors does), which",
        0};
  return {fmt::format("the kernel ({})", base::system_text(error)), free};
}

}  // namespace

void AddressSpace::let_others_run_by(void (*by)()) { base::state<Waiting>().let_others_run = by; }

bool AddressSpace::goes_back() const { return header().nodes > 1 && header().halt.is_to_regroup(); }

/// False: a door does without, as its process goes back.
bool AddressSpace::wait_for_heap(By by) {
  const auto gives_up = [this] { return goes_back(); };
  while (!heap_mutex_.lock(gives_up)) {
    if (by == By::door) return false;
    base::state<Waiting>()
        .let_others_run();  // a rank does not return from there when its process goes back
  }
  return true;
}

/// Promises so much, or says what stops that.
bool AddressSpace::reserve(std::size_t bytes, Failure& failure) const {
  topology::MemoryRoom room;
  if (reservations().take(bytes, process(), room)) return true;
  relieve();
  if (reservations().take(bytes, process(), room)) return true;
  failure = {room.limit, room.bytes};
  return false;
}

/// Addresses alone: with large memory all else takes long, and others may want the heap meanwhile.
void* AddressSpace::take(std::size_t bytes, std::size_t alignment, Failure& failure, By by) {
  const HeapLock one_at_a_time = lock_heap(by);
  if (!one_at_a_time.holds()) return nullptr;
  void* address = take_from_heap(bytes, alignment);
  if (address == nullptr && by == By::door) address = for_doors_.take(bytes, alignment);
  if (address == nullptr)
    failure = {fmt::format("the size of a band ({}; armature run --band-size)",
                           base::readable_bytes(band_bytes())),
               heap_.free_bytes()};
  return address;
}

/// What nobody knows of any more.
void AddressSpace::give_back(void* address, std::size_t bytes, By by) {
  Heap::let_pages_go(address, bytes);
  if (const HeapLock one_at_a_time = lock_heap(by); one_at_a_time.holds())
    heap_of(address).free(address);
}

/// Its address from now on; nullptr when its process goes back, or when it is one too many.
void* AddressSpace::record(void* address, std::size_t bytes, Allocation::Kind kind,
                           Failure& failure, By by) {
  const HeapLock one_at_a_time = lock_heap(by);
  return one_at_a_time.holds() && add(address, bytes, kind, failure, by) ? address : nullptr;
}

/// To the list, under the lock.
bool AddressSpace::add(void* address, std::size_t bytes, Allocation::Kind kind, Failure& failure,
                       By by) {
  const std::size_t count_max =
      by == By::rank ? list_entries_of_rank : std::size_t{Allocations::count_max};
  if (list_.count() >= count_max || !list_.add(Allocation::of(address, bytes, kind))) {
    failure = {fmt::format("the list of {} allocations", count_max), 0};
    return false;
  }
  // Kept-back room is the library's alone: transfers of others do not reach it.
  if (address < for_doors_begin_) extend_to(address, bytes);
  return true;
}

/// New memory of the heap. A large one is reserved first; the pages of a small one are often there.
void* AddressSpace::make(std::size_t bytes, std::size_t alignment, bool lazily, Failure& failure,
                         By by) {
  const bool is_small = bytes < page_wise_min;
  const std::size_t reserved = is_small ? 0 : Heap::bytes_to_reserve(bytes);
  if (!is_small && !reserve(reserved, failure)) return nullptr;
  void* const address = take(bytes, alignment, failure, by);
  if (address != nullptr && is_small && fill_small(address, bytes, failure)) return address;
  if (address != nullptr && !is_small) {
    base::mark_defined(address, bytes);
    if (fill(address, bytes, reserved, lazily)) return address;
    const int error = errno;  // to look at what there is changes it
    failure = why_not_filled(error, reservations().room().bytes);
  }
  reservations().settle(reserved, process());
  if (address != nullptr) give_back(address, bytes, by);
  return nullptr;
}

/// What was reserved for it is there from then on, or promised to this rank.
bool AddressSpace::fill(void* address, std::size_t bytes, std::size_t reserved, bool lazily) {
  Heap& heap = heap_of(address);
  if (!(lazily ? heap.fill_lazily(address, bytes) : heap.fill(address, bytes))) return false;
  std::size_t promised = 0;
  if (lazily) {
    const HeapLock one_at_a_time = lock_heap(By::rank);
    promised = Heap::own_bytes(address, heap_.block_bytes(address));
    ARMATURE_ASSERT(promised <= reserved);
  }
  if (lazily) reservations().begin_lazy(promised, process(), me_);
  reservations().settle(reserved - promised, process());
  return true;
}

bool AddressSpace::fill_small(void* address, std::size_t bytes, Failure& failure) {
  Heap& heap = heap_of(address);
  const std::size_t reserved = heap.missing(address, bytes);
  if (reserved == 0) return std::memset(address, 0, bytes) != nullptr;
  if (!reserve(reserved, failure)) return false;
  const bool filled = heap.fill(address, bytes);
  const int error = errno;
  if (!filled) failure = why_not_filled(error, reservations().room().bytes);
  reservations().settle(reserved, process());
  return filled;
}

void* AddressSpace::allocate(std::size_t bytes, std::size_t alignment, Allocation::Kind kind,
                             Failure& failure, By by) {
  if (by == By::rank) free_unused_blocks();
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  void* const address =
      make(wanted, std::max<std::size_t>(alignment, 64), /*lazily=*/false, failure, by);
  if (address == nullptr || record(address, wanted, kind, failure, by) != nullptr) return address;
  give_back(address, wanted, by);
  return nullptr;
}

void* AddressSpace::allocate_sparse(std::size_t bytes, Failure& failure) {
  free_unused_blocks();
  void* const address = take(bytes, 64, failure, By::rank);
  if (address == nullptr) return nullptr;
  heap_.clear(address, bytes);
  if (record(address, bytes, Allocation::Kind::internal, failure, By::rank) != nullptr)
    return address;
  give_back(address, bytes, By::rank);
  return nullptr;
}

void* AddressSpace::allocate_ring(std::size_t bytes, Failure& failure) {
  if (header().ranks_are_virtual != 0) return allocate_sparse(bytes, failure);
  return allocate(bytes, 64, Allocation::Kind::internal, failure);
}

bool AddressSpace::free(void* address, Allocation::Kind kind, By by) {
  if (kind == Allocation::Kind::local) return free_local(address);
  const std::optional<std::size_t> bytes = forget(address, kind, by);
  if (!bytes) return false;
  if (*bytes > 0) give_back(address, *bytes, by);
  return true;
}

/// How many bytes that allocation had; 0 when its process goes back; nothing when there is none.
std::optional<std::size_t> AddressSpace::forget(void* address, Allocation::Kind kind, By by) {
  const HeapLock one_at_a_time = lock_heap(by);
  if (!one_at_a_time.holds()) return 0;
  const auto removed = list_.remove(reinterpret_cast<std::uint64_t>(address), kind);
  if (!removed) return std::nullopt;
  return removed->bytes;
}

void AddressSpace::free_when_unused(TeamBlock& block) {
  {
    const HeapLock one_at_a_time = lock_heap(By::rank);
    retired_.push_back(&block);
  }
  free_unused_blocks();
}

/// The last member that lets go of a block may be another rank than the one whose memory it is, and
/// tells nobody. So the owner looks before it asks for memory, and the block counts as free.
void AddressSpace::free_unused_blocks() {
  std::vector<TeamBlock*> unused;
  {
    const HeapLock one_at_a_time = lock_heap(By::rank);
    if (retired_.empty()) return;
    std::erase_if(retired_, [&](TeamBlock* block) {
      // Acquire: the last user's reads of the block come before it is cleared and used again.
      if (block->users.load(std::memory_order_acquire) != 0) return false;
      unused.push_back(block);
      return true;
    });
  }
  for (TeamBlock* const block : unused) ARMATURE_ASSERT(free(block, Allocation::Kind::internal));
}

}  // namespace armature::space
