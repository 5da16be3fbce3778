#include "space/mapping.hpp"

#include <sys/mman.h>

#include <algorithm>
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
#include "space/segment_pages.hpp"
#include "space/virtual_segment.hpp"
#include "space/world_place.hpp"

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
  std::vector<detail::SegmentView> nothing_reachable;  // for the fast path when checks are in full
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

void protect(const Mapping& mapping, int rank, int protection, const char* what_fails) {
  // In a virtual rank's segment the stack and the rank's heap lie below heap_offset(): protection
  // begins behind the head.
  const std::size_t from = mapping.header().ranks_are_virtual != 0
                               ? SegmentHead::heap_start(mapping.header().ranks, 0)
                               : mapping.heap_offset();
  if (mprotect(mapping.segment(rank) + from, mapping.segment_bytes() - from, protection) != 0)
    base::fail(Errc::start, fmt::format("the segment of rank {} cannot be {}: {}", rank, what_fails,
                                        base::system_text(errno)));
}

/// Maps the file of `count` segments from the first on, and of virtual ranks what follows them.
void map_segments(const Mapping& mapping, int first, int count, int file, int access) {
  void* wanted = mapping.segment(first);
  std::size_t bytes = static_cast<std::size_t>(count) * mapping.segment_bytes();
  if (world_lies_behind(mapping.header())) bytes += TeamBlock::bytes(mapping.header().ranks);
  void* got =
      mmap(wanted, bytes, access, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, file, 0);
  if (got == wanted) return;
  const int error = got == MAP_FAILED ? errno : EEXIST;
  if (got != MAP_FAILED) munmap(got, bytes);
  base::fail(
      Errc::start,
      fmt::format(
          "{} ({} each from {} on) cannot be mapped: {}. {}",
          count == 1 ? fmt::format("the segment of rank {}", first)
                     : fmt::format("the segments of {} ranks", count),
          base::readable_bytes(mapping.segment_bytes()), wanted, base::system_text(error),
          error == EEXIST
              ? "Something else lies there (see /proc/self/maps): choose another place (armature "
                "run --base ADDRESS)"
              : "Is the address space limited (ulimit -v)? Raise that, or choose smaller segments "
                "(armature run --segment-size BYTES)"));
}

std::size_t bytes_of_segments(const Mapping& mapping) {
  const std::size_t bytes = static_cast<std::size_t>(mapping.ranks()) * mapping.segment_bytes();
  return bytes +
         (world_lies_behind(mapping.header()) ? TeamBlock::bytes(mapping.header().ranks) : 0);
}

void map_all_segments(const Mapping& mapping, const std::vector<int>& segments) {
  const int ranks = mapping.ranks();
  const auto together = static_cast<int>(mapping.header().layout.file_segments);
  const int access = access_when_mapped();
  for (int first = 0; first < ranks; first += together) try {
      map_segments(mapping, first, std::min(together, ranks - first),
                   segments[static_cast<std::size_t>(first / together)], access);
    } catch (...) {
      munmap(mapping.segment(0), static_cast<std::size_t>(first) * mapping.segment_bytes());
      throw;
    }
  std::byte* const begin = mapping.segment(0);
  const std::size_t bytes = bytes_of_segments(mapping);
  if (!open_mapped(begin, bytes, access)) {
    const int error = errno;
    munmap(begin, bytes);
    base::fail(Errc::start,
               fmt::format("the segments cannot be touched: {}", base::system_text(error)));
  }
  // A core file would have all their pages, used or not. What is used comes in before it is written
  // (core_file.cpp). Should the kernel refuse, they are in it.
  (void)madvise(begin, bytes, MADV_DONTDUMP);
  for (int r = 0; mapping.header().nodes > 1 && r < ranks; ++r)
    if (!mapping.is_here(r)) hide_segment(mapping, r);
}

}  // namespace

const Mapping& Mapping::join(Control control, const std::vector<int>& segments) {
  return join(control, segments, joined().place);
}

const Mapping& Mapping::join(Control control, const std::vector<int>& segments, void* place) {
  Process*& process = joined().process;
  ARMATURE_ASSERT(process == nullptr);
  const Mapping mapping(control);
  keep_pages_as_kernel_does();
  map_all_segments(mapping, segments);
  const auto ranks = static_cast<std::uint32_t>(mapping.ranks_);
  process = new (place) Process{mapping, std::vector<detail::SegmentView>(ranks)};
  // On valgrind the processor is another one than the node's others have.
  show_to_fast_path(
      {mapping.checks_in_full() ? process->nothing_reachable.data() : control.segments(), ranks,
       base::on_valgrind ? nullptr : &control.header().copies_by});
  return process->mapping;
}

struct TemporaryMapping::Before {
  Process* process;
  bool has_left;
  detail::View view;
  alignas(Process) std::byte place[sizeof(Process)];  // of what is joined meanwhile
};

TemporaryMapping::TemporaryMapping(Control control, const std::vector<int>& segments)
    : before_(new Before{std::exchange(joined().process, nullptr),
                         std::exchange(joined().has_left, false),
                         detail::view,
                         {}}) {
  show_to_fast_path({});
  try {
    (void)Mapping::join(control, segments, before_->place);
  } catch (...) {
    munmap(control.start, Control::bytes(control.header()));
    go_back();
    throw;
  }
}

TemporaryMapping::~TemporaryMapping() {
  const Mapping& mapping = this->mapping();
  munmap(mapping.segment(0), bytes_of_segments(mapping));
  munmap(mapping.control_.start, Control::bytes(mapping.header()));
  std::destroy_at(joined().process);
  go_back();
}

void TemporaryMapping::go_back() {
  joined().process = before_->process;
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
// be one has its segment's view, whatever it sees of the number.
void Mapping::leave() {
  if (base::Runtime::is_of_process()) __atomic_store_n(&detail::view.ranks, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&joined().has_left, true, __ATOMIC_RELAXED);
}

Mapping::Mapping(Control control)
    : control_(control),
      ranks_(static_cast<int>(control.header().ranks)),
      base_(reinterpret_cast<std::byte*>(control.header().layout.segment_base)),
      segment_bytes_(control.header().layout.segment_bytes),
      heap_offset_(heap_start(control.header())) {}

TeamBlock& Mapping::world_block() const {
  if (world_lies_behind(header())) return *reinterpret_cast<TeamBlock*>(segment(ranks_));
  return *reinterpret_cast<TeamBlock*>(
      segment(0) + SegmentHead::world_block_offset(static_cast<std::uint32_t>(ranks_)));
}

Allocations& Mapping::allocations(int rank) const {
  return *reinterpret_cast<Allocations*>(
      segment(rank) + SegmentHead::allocations_offset(static_cast<std::uint32_t>(ranks_)));
}

Rank Mapping::owner(const void* address) const {
  const auto* p = static_cast<const std::byte*>(address);
  if (p < base_ ||
      static_cast<std::size_t>(p - base_) / segment_bytes_ >= static_cast<std::size_t>(ranks_))
    return Rank::none();
  return Rank(static_cast<std::size_t>(p - base_) / segment_bytes_);
}

void show_segment(const Mapping& mapping, int rank) {
  protect(mapping, rank, PROT_READ | PROT_WRITE, "touched");
}

void hide_segment(const Mapping& mapping, int rank) { protect(mapping, rank, PROT_NONE, "hidden"); }

}  // namespace space
}  // namespace armature
