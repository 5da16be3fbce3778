// The full check of an address, and the sentence that a caller with a wrong one gets to read.
#include <fmt/format.h>

#include "armature/global_ptr.hpp"
#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "space/mapping.hpp"

namespace armature::space {

namespace {

/// Throws Error(bad_address), and says what lies there.
[[noreturn]] void bad_address(const Mapping& mapping, Rank rank, const void* address,
                              std::size_t bytes, const char* call) {
  const std::string size =
      bytes == SIZE_MAX ? "a number of bytes that overflows" : fmt::format("{} bytes", bytes);
  const std::string what =
      fmt::format("{}: {} at {} of rank {}", call, size, address, static_cast<int>(rank));
  const Rank real = mapping.owner(address);
  if (address == nullptr) base::fail(Errc::bad_address, what + ": the address is null");
  if (real < 0)
    base::fail(Errc::bad_address,
               what +
                   ": the address lies in no rank's segment; others reach memory from allocate and "
                   "allocate_local, and what a rank exposes");
  if (real != rank)
    base::fail(Errc::bad_address,
               fmt::format("{}: the address belongs to rank {}", what, static_cast<int>(real)));
  const auto nearest = mapping.allocations(rank).nearest(reinterpret_cast<std::uint64_t>(address));
  if (!nearest)
    base::fail(Errc::bad_address, what + ": that rank has nothing allocated, or has freed it");
  base::fail(Errc::bad_address, fmt::format("{}: not within what that rank has allocated; the "
                                            "nearest allocation is {} bytes at {:#x}, up "
                                            "to {:#x}",
                                            what, static_cast<std::uint64_t>(nearest->bytes),
                                            static_cast<std::uint64_t>(nearest->begin),
                                            nearest->begin + nearest->bytes));
}

}  // namespace

void Mapping::require_rank(Rank rank, const char* call) const {
  if (rank < 0 || rank >= ranks_)
    base::fail(Errc::bad_rank,
               fmt::format("{}: there is no rank {}{}: the job has ranks 0 to {}", call,
                           static_cast<int>(rank),
                           rank == Rank::none() ? ", which an empty pointer or reference has" : "",
                           ranks_ - 1));
}

void Mapping::require(Rank rank, const void* address, std::size_t bytes, const char* call) const {
  require_rank(rank, call);
  if (!is_here(rank))
    base::fail(Errc::bad_address,
               fmt::format("{}: {} belongs to rank {}, on another node: it cannot be touched "
                           "directly. Use put, get, accumulate or the atomics",
                           call, address, static_cast<int>(rank)));
  const detail::SegmentView& theirs = *fast_view(rank);
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t extent = __atomic_load_n(&theirs.extent, __ATOMIC_ACQUIRE);
  const std::uintptr_t offset = begin - theirs.begin;
  if (offset > extent || bytes > extent - offset) bad_address(*this, rank, address, bytes, call);
  if (!checks_in_full() || bytes == 0) return;
  const auto found = allocations(rank).nearest(begin);
  if (!found || begin < found->begin || begin - found->begin > found->bytes ||
      bytes > found->bytes - (begin - found->begin) ||
      found->kind == static_cast<std::uint64_t>(Allocation::Kind::internal))
    bad_address(*this, rank, address, bytes, call);
}

bool Mapping::holds(int rank, std::uint64_t address, std::uint64_t bytes) const {
  if (rank < 0 || rank >= ranks_ || !is_here(rank)) return false;
  const std::uint64_t offset = address - fast_view(rank)->begin, known = extent(rank);
  return offset <= known && bytes <= known - offset;
}

const Exposures* Mapping::exposures(int rank) const {
  if (rank < 0 || rank >= ranks_ || !is_here(rank)) return nullptr;
  // Acquire: the list is there.
  return reinterpret_cast<const Exposures*>(head(rank).exposures.load(std::memory_order_acquire));
}

}  // namespace armature::space

namespace armature::detail {

void* direct(Rank rank, const void* address) {
  const space::Mapping* mapping = space::Mapping::of_process();
  if (mapping == nullptr)
    base::fail(Errc::misuse, "global_ptr::direct: called outside armature::run");
  mapping->require(rank, address, 0, "global_ptr::direct");
  return const_cast<void*>(address);
}

}  // namespace armature::detail
