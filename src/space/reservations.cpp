#include "space/reservations.hpp"

#include <algorithm>
#include <utility>

#include "space/pages.hpp"

namespace armature::space {
namespace {

// To look at the machine takes longer than to allocate a little. So a process is promised more than
// it asks for, and takes small allocations from that; all processes together a small part of what
// is free.
constexpr std::uint64_t spare_max = std::uint64_t{1} << 20, parts_of_room = 64;

constexpr unsigned number_bits = 24;
constexpr std::uint64_t number_mask = (std::uint64_t{1} << number_bits) - 1;

std::uint64_t bytes_of_pages(std::uint64_t awaited) {
  return (awaited >> number_bits) * page_bytes;
}

/// So many bytes, with the next number.
std::uint64_t next(std::uint64_t awaited, std::uint64_t bytes) {
  return bytes / page_bytes << number_bits | ((awaited + 1) & number_mask);
}

}  // namespace

/// Release and acquire: who sees the sum sees what was promised before, too.
bool Reservations::grant(std::uint64_t bytes, std::uint64_t settled, std::uint64_t room) const {
  std::atomic<std::uint64_t>& granted = control_.header().reserved.granted;
  std::uint64_t sum = granted.load(std::memory_order_acquire);
  do {
    const std::uint64_t outstanding = sum - settled;
    if (outstanding > room || bytes > room - outstanding) return false;
  } while (!granted.compare_exchange_weak(sum, sum + bytes, std::memory_order_acq_rel));
  return true;
}

bool Reservations::take(std::uint64_t bytes, int process, topology::MemoryRoom& room) const {
  ProcessSlot& slot = control_.process(process);
  std::uint64_t spare = slot.memory.spare.load(std::memory_order_relaxed);
  while (bytes <= spare)
    if (slot.memory.spare.compare_exchange_weak(spare, spare - bytes, std::memory_order_relaxed))
      return true;
  // In this order; see the proof.
  const std::uint64_t settled = control_.header().reserved.settled.load(std::memory_order_acquire);
  room = topology::memory_room();
  const std::uint64_t processes = std::max<std::uint64_t>(control_.header().here.processes, 1);
  const std::uint64_t more = std::min(spare_max, room.bytes / parts_of_room / processes);
  std::uint64_t extra = bytes <= room.bytes ? more : 0;
  if (!grant(bytes + extra, settled, room.bytes)) {
    extra = 0;
    if (!grant(bytes, settled, room.bytes)) return room = this->room(), false;
  }
  slot.memory.reserved.fetch_add(bytes + extra, std::memory_order_relaxed);
  slot.memory.spare.fetch_add(extra, std::memory_order_relaxed);
  return true;
}

void Reservations::settle(std::uint64_t bytes, int process) const {
  control_.process(process).memory.reserved.fetch_sub(bytes, std::memory_order_relaxed);
  // Release: the kernel has counted it before we do not any more.
  control_.header().reserved.settled.fetch_add(bytes, std::memory_order_release);
}

topology::MemoryRoom Reservations::room() const {
  const ReservedMemory& reserved = control_.header().reserved;
  const std::uint64_t settled = reserved.settled.load(std::memory_order_acquire);
  topology::MemoryRoom room = topology::memory_room();
  const std::uint64_t outstanding = reserved.granted.load(std::memory_order_acquire) - settled;
  room.bytes -= std::min(room.bytes, outstanding);
  return room;
}

void Reservations::begin_lazy(std::uint64_t bytes, int process, int rank) const {
  control_.process(process).memory.reserved.fetch_sub(bytes, std::memory_order_relaxed);
  LazyMemory& lazy = control_.slot(rank).lazy;
  // All of it first: who reduces what is awaited to all of it has read that before.
  lazy.bytes.fetch_add(bytes, std::memory_order_relaxed);
  std::uint64_t awaited = lazy.awaited.load(std::memory_order_relaxed);
  while (!lazy.awaited.compare_exchange_weak(
      awaited, next(awaited, bytes_of_pages(awaited) + bytes), std::memory_order_acq_rel)) {
  }
}

/// No more is awaited than there is of it, nor more than that.
void Reservations::reduce(LazyMemory& lazy, std::uint64_t bytes_max) const {
  std::uint64_t awaited = lazy.awaited.load(std::memory_order_acquire);
  std::uint64_t bytes = 0;
  do {
    bytes =
        std::min({bytes_of_pages(awaited), lazy.bytes.load(std::memory_order_relaxed), bytes_max});
  } while (!lazy.awaited.compare_exchange_weak(awaited, next(awaited, bytes),
                                               std::memory_order_acq_rel));
  control_.header().reserved.settled.fetch_add(bytes_of_pages(awaited) - bytes,
                                               std::memory_order_release);
}

void Reservations::end_lazy(std::uint64_t bytes, int rank) const {
  LazyMemory& lazy = control_.slot(rank).lazy;
  lazy.bytes.fetch_sub(bytes, std::memory_order_relaxed);
  reduce(lazy, UINT64_MAX);
}

/// The promise comes before the pages go: nobody can be told in between that they are free.
void Reservations::renew_lazy(std::uint64_t bytes, int rank) const {
  control_.header().reserved.granted.fetch_add(bytes, std::memory_order_acq_rel);
  LazyMemory& lazy = control_.slot(rank).lazy;
  std::uint64_t awaited = lazy.awaited.load(std::memory_order_acquire);
  while (!lazy.awaited.compare_exchange_weak(
      awaited, next(awaited, bytes_of_pages(awaited) + bytes), std::memory_order_acq_rel)) {
  }
  reduce(lazy, UINT64_MAX);
}

// In this order: an allocation is part of `bytes` before `awaited` changes for it.
Reservations::Count Reservations::begin_count(int rank) const {
  const LazyMemory& lazy = control_.slot(rank).lazy;
  const std::uint64_t awaited = lazy.awaited.load(std::memory_order_acquire);
  return {awaited, lazy.bytes.load(std::memory_order_relaxed)};
}

void Reservations::end_count(const Count& count, std::uint64_t bytes, int rank) const {
  const std::uint64_t before = bytes_of_pages(count.awaited);
  const std::uint64_t left = std::min(before, count.bytes - std::min(count.bytes, bytes));
  std::uint64_t awaited = count.awaited;
  if (control_.slot(rank).lazy.awaited.compare_exchange_strong(awaited, next(awaited, left),
                                                               std::memory_order_acq_rel))
    control_.header().reserved.settled.fetch_add(before - left, std::memory_order_release);
}

void Reservations::give_up(int process) const {
  ProcessSlot& slot = control_.process(process);
  slot.memory.spare.store(0, std::memory_order_relaxed);
  const std::uint64_t bytes = slot.memory.reserved.exchange(0, std::memory_order_relaxed);
  control_.header().reserved.settled.fetch_add(bytes, std::memory_order_release);
  const auto ranks = static_cast<int>(control_.header().ranks);
  for (int rank = 0; control_.header().ranks_are_virtual == 0 && rank < ranks; ++rank)
    if (control_.slot(rank).process.load(std::memory_order_relaxed) == process) give_up_lazy(rank);
}

void Reservations::give_up_lazy(int rank) const { reduce(control_.slot(rank).lazy, 0); }

}  // namespace armature::space
