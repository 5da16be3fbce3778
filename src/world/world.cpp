#include "armature/world.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "space/address_space.hpp"
#include "wait/rank_context.hpp"

namespace armature {

using space::AddressSpace;
using space::Allocation;

namespace {

[[gnu::noinline]] void* allocate_new(AddressSpace& space, std::size_t bytes, std::size_t alignment,
                                     AddressSpace::Contents contents) {
  AddressSpace::Failure failure;
  void* const address = space.local().allocate(bytes, alignment, contents, failure);
  if (address == nullptr)
    base::fail(Errc::out_of_memory, fmt::format("allocate_local: asked for {}, but {} leaves {}",
                                                bytes == SIZE_MAX ? "more than can be addressed"
                                                                  : base::readable_bytes(bytes),
                                                failure.limit, base::readable_bytes(failure.free)));
  return address;
}

[[gnu::noinline]] void free_other(AddressSpace& space, Rank rank, void* address) {
  if (rank != space.me())
    base::fail(Errc::misuse,
               fmt::format("free_local: the memory is rank {}'s: only that rank can free it",
                           static_cast<int>(rank)));
  if (!space.free(address, Allocation::Kind::local))
    base::fail(Errc::misuse,
               fmt::format("free_local: {} does not come from allocate_local, or is freed already",
                           address));
}

}  // namespace

void* World::allocate_local_bytes(std::size_t bytes, std::size_t alignment) const {
  AddressSpace& space = wait::this_rank("allocate_local").space;
  if (bytes < space::page_wise_min)
    if (void* const address = space.reuse(bytes, alignment)) [[likely]]
      return std::memset(address, 0, bytes);
  return allocate_new(space, bytes, alignment, AddressSpace::Contents::zeros);
}

void* World::allocate_local_bytes_for_overwrite(std::size_t bytes, std::size_t alignment) const {
  AddressSpace& space = wait::this_rank("allocate_local").space;
  if (void* const address = space.reuse(bytes, alignment)) [[likely]]
    return address;
  return allocate_new(space, bytes, alignment, AddressSpace::Contents::any);
}

void World::free_local_bytes(Rank rank, void* address) const {
  AddressSpace& space = wait::this_rank("free_local").space;
  if (rank == space.me() && space.keep(address)) [[likely]]
    return;
  free_other(space, rank, address);
}

}  // namespace armature
