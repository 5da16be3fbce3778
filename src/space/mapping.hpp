#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "armature/rank.hpp"
#include "space/allocations.hpp"
#include "space/control.hpp"
#include "space/exposures.hpp"
#include "space/segment_head.hpp"
#include "space/team_block.hpp"

namespace armature::space {

/// The job's global address space as every rank of this process sees it: the control block, and
/// every segment mapped at its address. Mapped once per process, whatever it hosts; a value of a
/// few words that each rank's AddressSpace holds a copy of.
class Mapping {
 public:
  /// Maps everything and opens the inlined fast path. `segments` are the memory files, in the order
  /// of their ranks.
  /// Throws Error(start) that names the clash or limit. Once per process.
  static const Mapping& join(Control control, const std::vector<int>& segments);
  /// The mapping that was joined; nullptr before join and after leave. In a job of virtual ranks it
  /// has the same address in all processes.
  static const Mapping* of_process();
  /// Closes the fast path: from now on every call is an error. The segments stay mapped until exit.
  static void leave();

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] ControlHeader& header() const { return control_.header(); }
  [[nodiscard]] RankSlot& slot(int rank) const { return control_.slot(rank); }
  [[nodiscard]] const Control& control() const { return control_; }
  [[nodiscard]] ProcessSlot& process_slot(int number) const { return control_.process(number); }
  /// Whether the rank is on this node, so that its segment is mapped here whole. Of other ranks'
  /// segments the head is, this node's own; the rest is kept free, so that it is nobody else's.
  [[nodiscard]] bool is_here(int rank) const { return place_of(rank).node == header().node; }
  /// The process and the node of a rank: of a process rank without a look at its slot.
  [[nodiscard]] RankHome place_of(int rank) const {
    if (header().ranks_are_virtual == 0) return control_.home(rank);
    return {slot(rank).process.load(std::memory_order_relaxed), slot(rank).node};
  }
  [[nodiscard]] bool checks_in_full() const { return header().settings.check_full != 0; }

  [[nodiscard]] std::byte* segment(int rank) const {
    return base_ + static_cast<std::size_t>(rank) * segment_bytes_;
  }
  [[nodiscard]] std::size_t segment_bytes() const { return segment_bytes_; }
  /// The offset in every segment at which the memory for others begins.
  [[nodiscard]] std::size_t heap_offset() const { return heap_offset_; }
  [[nodiscard]] SegmentHead& head(int rank) const {
    return *reinterpret_cast<SegmentHead*>(segment(rank));
  }
  [[nodiscard]] TeamBlock& world_block() const;
  /// The lock that accumulates into the chunk at this address of that rank's segment hold.
  [[nodiscard]] LockWord& chunk_lock(int rank, const void* address) const {
    const auto offset =
        static_cast<std::size_t>(static_cast<const std::byte*>(address) - segment(rank));
    return head(rank).chunk_lock[offset / chunk_bytes % chunk_locks].word;
  }
  /// The rank in whose segment an address lies, or Rank::none().
  [[nodiscard]] Rank owner(const void* address) const;

  /// Throws Error(bad_rank) or Error(bad_address) naming call, rank, address and nearest
  /// allocation, unless [address, address + bytes) lies in what that rank has allocated.
  void require(Rank rank, const void* address, std::size_t bytes, const char* call) const;
  /// Whether those bytes lie in what a rank of this node has allocated. Throws nothing.
  [[nodiscard]] bool holds(int rank, std::uint64_t address, std::uint64_t bytes) const;
  /// The list of memory that a rank of this node exposes beside its segment. nullptr when it
  /// exposes nothing, or when there is no such rank.
  [[nodiscard]] const Exposures* exposures(int rank) const;
  /// How much of its heap a rank of this node has ever allocated, in bytes from its begin.
  [[nodiscard]] std::uint64_t extent(int rank) const {
    return __atomic_load_n(&fast_view(rank)->extent, __ATOMIC_ACQUIRE);
  }
  /// Throws Error(bad_rank).
  void require_rank(Rank rank, const char* call) const;

  /// The fast path's view of a rank's segment, which the node's processes share.
  [[nodiscard]] detail::SegmentView* fast_view(int rank) const {
    return control_.segments() + rank;
  }
  /// The list in the head of a rank's segment, which that rank alone changes.
  [[nodiscard]] Allocations& allocations(int rank) const;

 private:
  friend class TemporaryMapping;
  explicit Mapping(Control control);
  static const Mapping& join(Control control, const std::vector<int>& segments, void* place);

  Control control_;
  int ranks_ = 0;
  std::byte* base_ = nullptr;
  std::size_t segment_bytes_ = 0;
  std::size_t heap_offset_ = 0;
};

/// Lets this process touch the whole segment of a virtual rank, which has come to this node. Throws
/// Error(start).
void show_segment(const Mapping& mapping, int rank);
/// Lets it touch no more than the head of the segment of a rank that has left the node, or was
/// never here. The pages stay mapped, for when the rank comes back. Throws Error(start).
void hide_segment(const Mapping& mapping, int rank);

/// Another job than the process's own, for a while: what was joined before is joined again when
/// this is gone. For jobs whose ranks all live and end in this process, as in tests.
class TemporaryMapping {
 public:
  /// Unmaps `control` at the end, or where it throws Error(start).
  TemporaryMapping(Control control, const std::vector<int>& segments);
  TemporaryMapping(const TemporaryMapping&) = delete;
  TemporaryMapping& operator=(const TemporaryMapping&) = delete;
  ~TemporaryMapping();

  [[nodiscard]] const Mapping& mapping() const;

 private:
  void go_back();

  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace armature::space
