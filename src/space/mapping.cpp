#include "space/mapping.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "base/valgrind.hpp"
#include "space/lock_all.hpp"
#include "space/virtual_band.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace armature {

namespace detail {
constinit View view;
}

namespace space {
namespace {

struct Process {
  Mapping mapping;
  std::vector<detail::BandView> nothing_reachable;  // for the fast path when checks are in full
};

/// A runtime's. That of the process's own is not looked up: every call of a transfer needs it.
struct Joined {
  Process* process = nullptr;
  bool has_left = false;  // relaxed
  // At the same address in all processes: a rank that moves may be about to use it.
  alignas(Process) std::byte place[sizeof(Process)] = {};
};
constinit Joined of_process_itself;

Joined& joined() {
  return base::Runtime::is_of_process() ? of_process_itself : base::state<Joined>();
}

/// The inlined fast path knows one job, that of the process's own runtime.
void show_to_fast_path(const detail::View& view) {
  if (base::Runtime::is_of_process()) detail::view = view;
}

}  // namespace

const Mapping& Mapping::join(Control control, const std::vector<int>& bands) {
  return join(control, bands, joined().place);
}

const Mapping& Mapping::join(Control control, const std::vector<int>& bands, void* place) {
  Process*& process = joined().process;
  ARMATURE_ASSERT(process == nullptr);
  const Mapping mapping(control);
  mapping.map_bands(bands);
  const auto ranks = static_cast<std::uint32_t>(mapping.ranks_);
  process = new (place) Process{mapping, std::vector<detail::BandView>(ranks)};
  // On valgrind the processor is another one than the node's others have.
  show_to_fast_path({mapping.checks_in_full() ? process->nothing_reachable.data() : control.bands(),
                     ranks, base::on_valgrind ? nullptr : &control.header().copies_by});
  return process->mapping;
}

struct TemporaryMapping::Before {
  Process* process;
  bool has_left;
  detail::View view;
  alignas(Process) std::byte place[sizeof(Process)];  // of what is joined meanwhile
};

TemporaryMapping::TemporaryMapping(Control control, const std::vector<int>& bands)
    : before_(new Before{std::exchange(joined().process, nullptr),
                         std::exchange(joined().has_left, false),
                         detail::view,
                         {}}) {
  show_to_fast_path({});
  (void)Mapping::join(control, bands, before_->place);
}

TemporaryMapping::~TemporaryMapping() {
  const Mapping& mapping = this->mapping();
  const std::uint32_t ranks = mapping.header().ranks;
  munmap(mapping.band(0), ranks * mapping.band_bytes());
  munmap(mapping.control_.start, Control::bytes(mapping.header()));
  std::destroy_at(std::exchange(joined().process, before_->process));
  joined().has_left = before_->has_left;
  show_to_fast_path(before_->view);
}

const Mapping& TemporaryMapping::mapping() const { return joined().process->mapping; }

const Mapping* Mapping::of_process() {
  const Joined& here = joined();
  const bool is_there =
      here.process != nullptr && !__atomic_load_n(&here.has_left, __ATOMIC_RELAXED);
  return is_there ? &here.process->mapping : nullptr;
}

// A thread that the program has started may be in the middle of a look: a rank that it has found to
// be one has its band's view, whatever it sees of the number.
void Mapping::leave() {
  if (base::Runtime::is_of_process()) __atomic_store_n(&detail::view.ranks, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&joined().has_left, true, __ATOMIC_RELAXED);
}

Mapping::Mapping(Control control)
    : control_(control),
      ranks_(static_cast<int>(control.header().ranks)),
      base_(reinterpret_cast<std::byte*>(control.header().band_base)),
      band_bytes_(control.header().band_bytes),
      heap_offset_(heap_start(control.header())) {}

void Mapping::map_bands(const std::vector<int>& bands) const {
  const int access = access_when_mapped();
  const bool one_file = header().ranks_are_virtual != 0;
  if (one_file) map_bands(0, ranks_, bands.front(), access);
  for (int r = 0; !one_file && r < ranks_; ++r)
    map_bands(r, 1, bands[static_cast<std::size_t>(r)], access);
  std::size_t bytes = static_cast<std::size_t>(ranks_) * band_bytes_;
  if (one_file) bytes += TeamBlock::bytes(header().ranks);
  if (!open_mapped(base_, bytes, access))
    base::fail(Errc::start,
               fmt::format("the bands cannot be touched: {}", base::system_text(errno)));
  // A core file would have all their pages, used or not. What is used comes in before it is written
  // (core_file.cpp). Should the kernel refuse, they are in it.
  (void)madvise(base_, bytes, MADV_DONTDUMP);
  for (int r = 0; header().nodes > 1 && r < ranks_; ++r)
    if (!is_here(r)) hide(r);
}

void Mapping::map_bands(int first, int count, int file, int access) const {
  void* wanted = band(first);
  std::size_t bytes = static_cast<std::size_t>(count) * band_bytes_;
  if (header().ranks_are_virtual != 0) bytes += TeamBlock::bytes(header().ranks);
  void* got =
      mmap(wanted, bytes, access, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, file, 0);
  if (got == wanted) return;
  const int error = got == MAP_FAILED ? errno : EEXIST;
  if (got != MAP_FAILED) munmap(got, bytes);
  base::fail(
      Errc::start,
      fmt::format(
          "{} ({} each from {} on) cannot be mapped: {}. {}",
          count == 1 ? fmt::format("the band of rank {}", first)
                     : fmt::format("the bands of {} ranks", count),
          base::readable_bytes(band_bytes_), wanted, base::system_text(error),
          error == EEXIST
              ? "Something else lies there (see /proc/self/maps): choose another place (armature "
                "run --base ADDRESS)"
              : "Is the address space limited (ulimit -v)? Raise that, or choose smaller bands "
                "(armature run --band-size BYTES)"));
}

/// Of virtual ranks all below the stack belongs to the head, and that begins where it will.
std::size_t Mapping::hidden_from() const {
  return header().ranks_are_virtual != 0 ? BandHead::heap_start(header().ranks, 0) : heap_offset_;
}

/// What a program cannot touch of a rank on another node: all but the head.
bool Mapping::protect(int rank, int protection) const {
  const std::size_t from = hidden_from();
  return mprotect(band(rank) + from, band_bytes_ - from, protection) == 0;
}

void Mapping::show(int rank) const {
  if (!protect(rank, PROT_READ | PROT_WRITE))
    base::fail(Errc::start, fmt::format("the band of rank {} cannot be touched: {}", rank,
                                        base::system_text(errno)));
}

/// Pages stay mapped, for when the rank comes back.
void Mapping::hide(int rank) const {
  if (!protect(rank, PROT_NONE))
    base::fail(Errc::start, fmt::format("the band of rank {} cannot be hidden: {}", rank,
                                        base::system_text(errno)));
}

TeamBlock& Mapping::world_block() const {
  if (header().ranks_are_virtual != 0) return *reinterpret_cast<TeamBlock*>(band(ranks_));
  return *reinterpret_cast<TeamBlock*>(
      band(0) + BandHead::world_block_offset(static_cast<std::uint32_t>(ranks_)));
}

Allocations& Mapping::allocations(int rank) const {
  return *reinterpret_cast<Allocations*>(
      band(rank) + BandHead::allocations_offset(static_cast<std::uint32_t>(ranks_)));
}

KeptBlocks& Mapping::kept_blocks(int rank) const {
  static_assert(sizeof(KeptBlocks) <= BandHead::kept_blocks_room);
  return *reinterpret_cast<KeptBlocks*>(
      band(rank) + BandHead::kept_blocks_offset(static_cast<std::uint32_t>(ranks_)));
}

Rank Mapping::owner(const void* address) const {
  const auto* p = static_cast<const std::byte*>(address);
  if (p < base_ ||
      static_cast<std::size_t>(p - base_) / band_bytes_ >= static_cast<std::size_t>(ranks_))
    return Rank::none();
  return Rank(static_cast<std::size_t>(p - base_) / band_bytes_);
}

}  // namespace space
}  // namespace armature
