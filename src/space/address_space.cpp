#include "space/address_space.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "space/virtual_band.hpp"
#include "topology/memory.hpp"

namespace armature::space {

AddressSpace::AddressSpace(const Mapping& mapping, Rank me, BandFile file)
    : Mapping(mapping), me_(me) {
  const std::size_t heap_end =
      header().ranks_are_virtual != 0 ? VirtualBand(header()).heap_end() : band_bytes();
  const std::size_t heap_bytes = heap_end - heap_offset();
  heap_ = Heap::create(band(me) + heap_offset(), heap_bytes, file.descriptor,
                       file.offset + heap_offset());
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
  void* const address = heap_.take(bytes, alignment);
  if (address == nullptr)
    failure = {fmt::format("the size of a band ({}; armature run --band-size)",
                           base::readable_bytes(band_bytes())),
               heap_.free_bytes()};
  return address;
}

/// What nobody knows of any more.
void AddressSpace::give_back(void* address, std::size_t bytes, By by) {
  heap_.let_pages_go(address, bytes);
  if (const HeapLock one_at_a_time(*this, by); one_at_a_time.holds()) heap_.free(address);
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
  if (!allocations(me_).add(allocation)) {
    heap_.let_pages_go(address, bytes);
    heap_.free(address);
    failure = {fmt::format("the list of {} allocations", Allocations::count_max), 0};
    return nullptr;
  }
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
  if (!heap_.fill(address, wanted)) {
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
