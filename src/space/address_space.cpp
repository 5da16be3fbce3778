#include "space/address_space.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "space/pages.hpp"
#include "space/virtual_band.hpp"
#include "topology/memory.hpp"

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
    : Mapping(mapping), me_(me) {
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
  view(me).begin = reinterpret_cast<std::uintptr_t>(band(me)) + heap_offset();
}

namespace {
void (*let_others_run)() = [] {};
}

void AddressSpace::let_others_run_by(void (*by)()) { let_others_run = by; }

bool AddressSpace::goes_back() const { return header().nodes > 1 && header().halt.is_to_regroup(); }

class AddressSpace::HeapLock {
 public:
  HeapLock(AddressSpace& space, By by) : mutex_(space.heap_mutex_) {
    const auto gives_up = [&space] { return space.goes_back(); };
    // A rank does not return from there when its process goes back.
    while (!(holds_ = mutex_.lock(gives_up)) && by == By::rank) let_others_run();
  }
  HeapLock(const HeapLock&) = delete;
  HeapLock& operator=(const HeapLock&) = delete;
  ~HeapLock() {
    if (holds_) mutex_.unlock();
  }
  [[nodiscard]] bool holds() const { return holds_; }

 private:
  base::JobMutex& mutex_;
  bool holds_ = false;
};

/// Addresses alone: with large memory all else takes long, and others may want the heap meanwhile.
void* AddressSpace::take(std::size_t bytes, std::size_t alignment, Failure& failure, By by) {
  const HeapLock one_at_a_time(*this, by);
  if (!one_at_a_time.holds()) return nullptr;
  void* address = heap_.take(bytes, alignment);
  if (address == nullptr && by == By::door) address = for_doors_.take(bytes, alignment);
  if (address == nullptr)
    failure = {fmt::format("the size of a band ({}; armature run --band-size)",
                           base::readable_bytes(band_bytes())),
               heap_.free_bytes()};
  return address;
}

/// What nobody knows of any more.
void AddressSpace::give_back(void* address, std::size_t bytes, By by) {
  Heap& heap = heap_of(address);
  heap.let_pages_go(address, bytes);
  if (const HeapLock one_at_a_time(*this, by); one_at_a_time.holds()) heap.free(address);
}

namespace {
constexpr std::size_t list_entries_for_doors = 4096;
}

/// Its address from now on; nullptr when its process goes back, or when it is one too many.
void* AddressSpace::record(void* address, std::size_t bytes, Allocation::Kind kind,
                           Failure& failure, By by) {
  Allocation allocation;
  allocation.begin = reinterpret_cast<std::uint64_t>(address);
  allocation.bytes = bytes & ((std::uint64_t{1} << 62) - 1);
  allocation.kind = static_cast<std::uint64_t>(kind) & 3;
  const HeapLock one_at_a_time(*this, by);
  if (!one_at_a_time.holds()) return nullptr;
  Heap& heap = heap_of(address);
  Allocations& list = allocations(me_);
  const std::size_t kept = by == By::rank ? list_entries_for_doors : 0;
  if (list.count() + kept >= Allocations::count_max || !list.add(allocation)) {
    heap.let_pages_go(address, bytes);
    heap.free(address);
    failure = {fmt::format("the list of {} allocations", Allocations::count_max - kept), 0};
    return nullptr;
  }
  // Kept-back room is the library's alone: transfers of others do not reach it.
  if (address >= for_doors_begin_) return address;
  // The fast path of every process looks at the extent; it only grows. Whoever gets the address
  // from this rank gets it later than this store.
  detail::BandView& mine = view(me_);
  const std::size_t end = allocation.begin + bytes - mine.begin;
  if (end > mine.extent) __atomic_store_n(&mine.extent, end, __ATOMIC_RELEASE);
  return address;
}

void* AddressSpace::allocate(std::size_t bytes, std::size_t alignment, Allocation::Kind kind,
                             Failure& failure, By by) {
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  constexpr std::size_t unchecked = 1 << 20;  // smaller ones are not worth a look at the machine
  if (wanted >= unchecked) {
    const topology::MemoryRoom room = topology::memory_room();
    if (wanted > room.bytes) {
      failure = {room.limit, room.bytes};
      return nullptr;
    }
  }
  void* const address = take(wanted, std::max<std::size_t>(alignment, 64), failure, by);
  if (address == nullptr) return nullptr;
  if (!heap_of(address).fill(address, wanted)) {
    failure = {base::system_text(errno), topology::memory_room().bytes};
    give_back(address, wanted, by);
    return nullptr;
  }
  return record(address, wanted, kind, failure, by);
}

void* AddressSpace::allocate_sparse(std::size_t bytes, Failure& failure) {
  void* const address = take(bytes, 64, failure, By::rank);
  if (address == nullptr) return nullptr;
  heap_.clear(address, bytes);
  return record(address, bytes, Allocation::Kind::internal, failure, By::rank);
}

void* AddressSpace::allocate_ring(std::size_t bytes, Failure& failure) {
  if (header().ranks_are_virtual != 0) return allocate_sparse(bytes, failure);
  return allocate(bytes, 64, Allocation::Kind::internal, failure);
}

bool AddressSpace::free(void* address, Allocation::Kind kind, By by) {
  const std::optional<std::size_t> bytes = forget(address, kind, by);
  if (!bytes) return false;
  if (*bytes > 0) give_back(address, *bytes, by);
  return true;
}

/// How many bytes that allocation had; 0 when its process goes back; nothing when there is none.
std::optional<std::size_t> AddressSpace::forget(void* address, Allocation::Kind kind, By by) {
  const HeapLock one_at_a_time(*this, by);
  if (!one_at_a_time.holds()) return 0;
  Allocations& list = allocations(me_);
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  const auto found = list.nearest(begin);
  if (!found || found->begin != begin || found->kind != static_cast<std::uint64_t>(kind))
    return std::nullopt;
  list.remove(begin);
  return found->bytes;
}

void AddressSpace::free_when_unused(TeamBlock& block) {
  retired_.push_back(&block);
  std::erase_if(retired_, [&](TeamBlock* unused) {
    // Acquire: the last user's reads of the block come before it is cleared and used again.
    if (unused->users.load(std::memory_order_acquire) != 0) return false;
    ARMATURE_ASSERT(free(unused, Allocation::Kind::internal));
    return true;
  });
}

}  // namespace armature::space
