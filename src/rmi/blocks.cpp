#include "rmi/blocks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"

namespace armature::rmi {

using space::AddressSpace;
using space::Allocation;

std::byte* Blocks::take(int reader, std::size_t bytes, const char* call) {
  free_done();
  AddressSpace::Failure failure;
  void* memory = space_.allocate(sizeof(Head) + bytes, 64, Allocation::Kind::internal, failure);
  if (memory == nullptr)
    base::fail(Errc::out_of_memory,
               fmt::format("{}: a message of {}: {} leaves {}", call, base::readable_bytes(bytes),
                           failure.limit, base::readable_bytes(failure.free)));
  auto* head = new (memory) Head;
  head->bytes = bytes;
  head->reader = reader;
  waiting_.push_back(head);
  bytes_ += bytes;
  return reinterpret_cast<std::byte*>(head + 1);
}

void Blocks::free_done() {
  const bool some_died = space_.header().gone.deaths.load(std::memory_order_acquire) != 0;
  std::erase_if(waiting_, [&](Head* head) {
    // Acquire: the receiver has read the bytes before they are used again.
    const bool done = head->done.load(std::memory_order_acquire) != 0;
    if (!done && !(some_died && space_.slot(head->reader).life.load(std::memory_order_acquire) ==
                                    space::Life::dead))
      return false;
    bytes_ -= head->bytes;
    (void)space_.free(head, Allocation::Kind::internal);
    return true;
  });
}

void Blocks::mark_done(std::byte* block) {
  auto* head = reinterpret_cast<Head*>(block - sizeof(Head));
  head->done.store(1, std::memory_order_release);
}

std::byte* Blocks::take_loose(AddressSpace& space, std::size_t bytes) {
  AddressSpace::Failure failure;
  void* memory = space.allocate(sizeof(Head) + bytes, 64, Allocation::Kind::internal, failure,
                                AddressSpace::By::door);
  if (memory == nullptr) return nullptr;
  auto* head = new (memory) Head;
  head->loose = 1;
  return reinterpret_cast<std::byte*>(head + 1);
}

bool Blocks::free_if_loose(AddressSpace& space, std::byte* block) {
  auto* head = reinterpret_cast<Head*>(block - sizeof(Head));
  if (space.owner(block) != space.me() || head->loose == 0) return false;
  (void)space.free(head, Allocation::Kind::internal);
  return true;
}

bool Blocks::may_be(const AddressSpace& space, const std::byte* block, std::uint64_t bytes,
                    int writer) {
  return reinterpret_cast<std::uintptr_t>(block) % 64 == 0 && bytes > 0 &&
         bytes <= space.segment_bytes() && space.owner(block - sizeof(Head)) == Rank(writer) &&
         space.owner(block + bytes - 1) == Rank(writer);
}

}  // namespace armature::rmi
