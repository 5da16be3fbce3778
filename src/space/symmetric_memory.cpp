// Symmetric memory: blocks at the same distance from the beginnings of several ranks' segments.
//
// A heap chooses where its blocks lie, and heaps of ranks that have done different things choose
// differently. So these do not come from the heap but from the other end of its range, in an order
// that their allocators choose: down from there, as the heap grows up. Neither has a fixed part.
//
// The inlined check of an address is a comparison with one extent, which from then on covers what
// lies between the two: such an address is found wrong in full checks (--check) alone.
#include "space/symmetric_memory.hpp"

#include <cerrno>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "space/pages.hpp"

namespace armature::space {
namespace {

// The heap keeps at least so much room to grow.
constexpr std::uint64_t heap_room_min = std::uint64_t{1} << 20;

}  // namespace

std::uint64_t SymmetricMemory::offset_of(const void* address) const {
  return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) -
                                    mapping_.segment(heap_.me()));
}

/// Under the lock.
std::uint64_t SymmetricMemory::heap_end() const {
  return mapping_.heap_offset() + page_above(heap_.main().grown_bytes());
}

std::optional<std::uint64_t> SymmetricMemory::place_for(std::size_t bytes, std::uint64_t end_max) {
  const HeapLock one_at_a_time = heap_.lock();
  const SymmetricArea& area = area_ ? *area_ : area_.emplace(offset_of(heap_.main_end()));
  return area.highest(bytes, end_max, heap_end() + heap_room_min);
}

/// Since the place was looked for, the heap may have grown for what came from another node.
bool SymmetricMemory::take(std::uint64_t offset, std::size_t bytes) {
  const HeapLock one_at_a_time = heap_.lock();
  if (!area_ || offset < heap_end() || !area_->take({offset, offset + bytes})) return false;
  heap_.main().limit(area_->begin() - mapping_.heap_offset());
  return true;
}

void SymmetricMemory::release(std::uint64_t offset) {
  const HeapLock one_at_a_time = heap_.lock();
  ARMATURE_ASSERT(area_->release(offset));
  heap_.main().limit(area_->begin() - mapping_.heap_offset());
}

void* SymmetricMemory::allocate(std::uint64_t offset, std::size_t bytes,
                                SegmentHeap::Failure& failure) {
  if (!new_.reserve(bytes, failure)) return nullptr;
  std::byte* const address = mapping_.segment(heap_.me()) + offset;
  if (!take(offset, bytes)) {
    failure = {"its heap, which has grown there,", 0};
    new_.settle(bytes);
    return nullptr;
  }
  base::mark_defined(address, bytes);
  const bool filled = heap_.main().pages().fill_whole(address, address + bytes);
  const int error = errno;
  new_.settle(bytes);
  if (filled && heap_.record(address, bytes, Allocation::Kind::collective, failure,
                             SegmentHeap::By::rank) != nullptr)
    return address;
  if (!filled) failure = {fmt::format("the kernel ({})", base::system_text(error)), 0};
  give_pages_back(address, address + bytes);
  release(offset);
  return nullptr;
}

bool SymmetricMemory::begins(const void* address) {
  const HeapLock one_at_a_time = heap_.lock();
  return area_ && area_->begins(offset_of(address));
}

void SymmetricMemory::free(void* address) {
  const std::optional<std::size_t> bytes =
      heap_.forget(address, Allocation::Kind::collective, SegmentHeap::By::rank);
  ARMATURE_ASSERT(bytes.has_value());
  auto* const begin = static_cast<std::byte*>(address);
  give_pages_back(begin, begin + *bytes);
  release(offset_of(address));
}

}  // namespace armature::space
