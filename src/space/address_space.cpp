#include "space/address_space.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "topology/memory.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace armature {

namespace detail {
constinit View view;
}

namespace space {
namespace {

using base::fail;

std::unique_ptr<AddressSpace> the_space;

}  // namespace

AddressSpace& AddressSpace::join(Rank me, Control control, const std::vector<int>& bands) {
  ARMATURE_ASSERT(the_space == nullptr);
  the_space.reset(new AddressSpace(me, control, bands));
  AddressSpace& space = *the_space;
  detail::view = {space.checks_in_full() ? space.nothing_reachable_.data() : control.bands(),
                  static_cast<std::uint32_t>(space.ranks_)};
  return space;
}

AddressSpace& AddressSpace::instance() {
  ARMATURE_ASSERT(the_space != nullptr);
  return *the_space;
}
bool AddressSpace::joined() { return detail::view.ranks != 0; }

void AddressSpace::leave() { detail::view = {}; }

AddressSpace::AddressSpace(Rank me, Control control, const std::vector<int>& bands)
    : me_(me),
      control_(control),
      ranks_(static_cast<int>(control.header().ranks)),
      base_(reinterpret_cast<std::byte*>(control.header().band_base)),
      band_bytes_(control.header().band_bytes),
      nothing_reachable_(control.header().ranks) {
  map_bands(bands);
  band_file_ = base::FileDescriptor(bands[static_cast<std::size_t>(static_cast<int>(me))]);
  BandHead& mine = head(me);
  ARMATURE_ASSERT(mine.magic == BandHead::expected_magic && mine.heap_offset < band_bytes_);
  heap_ = Heap::create(band(me) + mine.heap_offset, band_bytes_ - mine.heap_offset,
                       band_file_.get(), mine.heap_offset);
  detail::BandView& view = control_.bands()[static_cast<int>(me)];
  view.begin = reinterpret_cast<std::uintptr_t>(band(me)) + mine.heap_offset;
}

void AddressSpace::map_bands(const std::vector<int>& bands) {
  for (int r = 0; r < ranks_; ++r) {
    void* wanted = band(r);
    void* got = mmap(wanted, band_bytes_, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
                     bands[static_cast<std::size_t>(r)], 0);
    if (got == wanted) continue;
    const int error = got == MAP_FAILED ? errno : EEXIST;
    if (got != MAP_FAILED) munmap(got, band_bytes_);
    fail(
        Errc::start,
        fmt::format(
            "the band of rank {} ({} at {}) cannot be mapped: {}. {}", r,
            base::readable_bytes(band_bytes_), wanted, base::system_text(error),
            error == EEXIST
                ? "Something else lies there (see /proc/self/maps): choose another place (armature "
                  "run --base ADDRESS)"
                : "Is the address space limited (ulimit -v)? Raise that, or choose smaller bands "
                  "(armature run --band-size BYTES)"));
  }
}

TeamBlock& AddressSpace::world_block() const {
  return *reinterpret_cast<TeamBlock*>(
      band(0) + BandHead::world_block_offset(static_cast<std::uint32_t>(ranks_)));
}

Allocations& AddressSpace::allocations(int rank) const {
  return *reinterpret_cast<Allocations*>(
      band(rank) + BandHead::allocations_offset(static_cast<std::uint32_t>(ranks_)));
}

Rank AddressSpace::owner(const void* address) const {
  const auto* p = static_cast<const std::byte*>(address);
  if (p < base_ ||
      static_cast<std::size_t>(p - base_) / band_bytes_ >= static_cast<std::size_t>(ranks_))
    return Rank::none();
  return Rank(static_cast<std::size_t>(p - base_) / band_bytes_);
}

void AddressSpace::record(void* address, std::size_t bytes, Allocation::Kind kind) {
  Allocation allocation;
  allocation.begin = reinterpret_cast<std::uint64_t>(address);
  allocation.bytes = bytes & ((std::uint64_t{1} << 62) - 1);
  allocation.kind = static_cast<std::uint64_t>(kind) & 3;
  if (!allocations(me_).add(allocation)) {
    heap_.free(address, bytes);
    fail(Errc::out_of_memory,
         fmt::format("more than {} allocations at once", Allocations::count_max));
  }
  // The fast path of every process looks at the extent; it only grows. Whoever gets the address
  // from this rank gets it later than this store.
  detail::BandView& view = control_.bands()[static_cast<int>(me_)];
  const std::size_t end = allocation.begin + bytes - view.begin;
  if (end > view.extent) __atomic_store_n(&view.extent, end, __ATOMIC_RELEASE);
}

void* AddressSpace::allocate(std::size_t bytes, std::size_t alignment, Allocation::Kind kind,
                             Failure& failure) {
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  constexpr std::size_t unchecked = 1 << 20;  // smaller ones are not worth a look at the machine
  if (wanted >= unchecked) {
    const topology::MemoryRoom room = topology::memory_room();
    if (wanted > room.bytes) {
      failure = {room.limit, room.bytes};
      return nullptr;
    }
  }
  errno = 0;
  void* address = heap_.allocate(wanted, std::max<std::size_t>(alignment, 64));
  if (address == nullptr) {
    failure = errno == ENOMEM && heap_.free_bytes() < wanted
                  ? Failure{fmt::format("the size of a band ({}; armature run --band-size)",
                                        base::readable_bytes(band_bytes_)),
                            heap_.free_bytes()}
                  : Failure{base::system_text(errno), topology::memory_room().bytes};
    return nullptr;
  }
  record(address, wanted, kind);
  return address;
}

void* AddressSpace::allocate_sparse(std::size_t bytes, Failure& failure) {
  void* address = heap_.allocate_sparse(bytes);
  if (address == nullptr)
    failure = {fmt::format("the size of a band ({})", base::readable_bytes(band_bytes_)),
               heap_.free_bytes()};
  else
    record(address, bytes, Allocation::Kind::internal);
  return address;
}

bool AddressSpace::free(void* address, Allocation::Kind kind) {
  Allocations& list = allocations(me_);
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  const auto found = list.nearest(begin);
  if (!found || found->begin != begin || found->kind != static_cast<std::uint64_t>(kind))
    return false;
  list.remove(begin);
  heap_.free(address, found->bytes);
  return true;
}

}  // namespace space
}  // namespace armature
