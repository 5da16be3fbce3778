// Symmetric memory: blocks at the same distance from the beginnings of several ranks' bands.
//
// A heap chooses where its blocks lie, and heaps of ranks that have done different things choose
// differently. So these do not come from the heap but from the other end of its range, in an order
// that their allocators choose: down from there, as the heap grows up. Neither has a fixed part.
//
// The inlined check of an address is a comparison with one extent, which from then on covers what
// lies between the two: such an address is found wrong in full checks (--check) alone.
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "space/address_space.hpp"
#include "space/pages.hpp"

namespace armature::space {
namespace {

// The heap keeps at least so much room to grow.
constexpr std::uint64_t heap_room_min = std::uint64_t{1} << 20;

}  // namespace

std::optional<std::uint64_t> AddressSpace::place_for_symmetric(std::size_t bytes,
                                                               std::uint64_t end_max) {
  const HeapLock one_at_a_time = lock_heap(By::rank);
  const auto end = static_cast<std::uint64_t>(for_doors_begin_ - band(me_));
  const SymmetricArea& area = symmetric_ ? *symmetric_ : symmetric_.emplace(end);
  const std::uint64_t lowest = heap_offset() + page_above(heap_.grown_bytes() + heap_room_min);
  return area.highest(bytes, end_max, lowest);
}

/// Since the place was looked for, the heap may have grown for what came from another node.
bool AddressSpace::take_symmetric(std::uint64_t offset, std::size_t bytes) {
  const HeapLock one_at_a_time = lock_heap(By::rank);
  if (!symmetric_ || offset < heap_offset() + page_above(heap_.grown_bytes()) ||
      !symmetric_->take({offset, offset + bytes}))
    return false;
  heap_.limit(symmetric_->begin() - heap_offset());
  return true;
}

void AddressSpace::release_symmetric(std::uint64_t offset) {
  const HeapLock one_at_a_time = lock_heap(By::rank);
  ARMATURE_ASSERT(symmetric_->release(offset));
  heap_.limit(symmetric_->begin() - heap_offset());
}

void* AddressSpace::allocate_symmetric(std::uint64_t offset, std::size_t bytes, Failure& failure) {
  if (!reserve(bytes, failure)) return nullptr;
  std::byte* const address = band(me_) + offset;
  if (!take_symmetric(offset, bytes)) {
    failure = {"its heap, which has grown there,", 0};
    reservations().settle(bytes, process());
    return nullptr;
  }
  base::mark_defined(address, bytes);
  const bool filled = heap_.fill_pages(address, address + bytes);
  const int error = errno;
  reservations().settle(bytes, process());
  if (filled && record(address, bytes, Allocation::Kind::collective, failure, By::rank) != nullptr)
    return address;
  if (!filled) failure = {fmt::format("the kernel ({})", base::system_text(error)), 0};
  Heap::give_pages_back(address, address + bytes);
  release_symmetric(offset);
  return nullptr;
}

bool AddressSpace::is_symmetric(const void* address) {
  const HeapLock one_at_a_time = lock_heap(By::rank);
  const auto offset =
      static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - band(me_));
  return symmetric_ && symmetric_->begins(offset);
}

void AddressSpace::free_symmetric(void* address) {
  const std::optional<std::size_t> bytes = forget(address, Allocation::Kind::collective, By::rank);
  ARMATURE_ASSERT(bytes.has_value());
  auto* const begin = static_cast<std::byte*>(address);
  Heap::give_pages_back(begin, begin + *bytes);
  release_symmetric(static_cast<std::uint64_t>(begin - band(me_)));
}

}  // namespace armature::space
