#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "armature/rank.hpp"
#include "space/allocations.hpp"
#include "space/band_head.hpp"
#include "space/control.hpp"
#include "space/exposures.hpp"
#include "space/kept_blocks.hpp"
#include "space/reservations.hpp"
#include "space/team_block.hpp"

namespace armature::space {

/// The job's global address space as every rank of this process sees it: the control block, and
/// every band mapped at its address. Mapped once per process, whatever it hosts; a value of a few
/// words that each rank's AddressSpace holds a copy of.
class Mapping {
 public:
  /// Maps everything and opens the inlined fast path. `bands` are the memory files in rank order,
  /// or the one that holds all.
  /// Throws Error(start) that names the clash or limit. Once per process.
  static const Mapping& join(Control control, const std::vector<int>& bands);
  /// What was joined, at the same address in all processes of virtual ranks; nullptr before join
  /// and after leave.
  static const Mapping* of_process();
  /// Closes the fast path: from now on every call is an error. The bands stay mapped until exit.
  static void leave();

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] ControlHeader& header() const { return control_.header(); }
  [[nodiscard]] RankSlot& slot(int rank) const { return control_.slot(rank); }
  [[nodiscard]] LastWords& last_words(int rank) const { return control_.last_words(rank); }
  [[nodiscard]] ProcessSlot& process_slot(int number) const { return control_.process(number); }
  /// Whether the rank is on this node, so that its band is mapped here whole. Of other ranks' bands
  /// the head is, this node's own; the rest is kept free, so that it is nobody else's.
  [[nodiscard]] bool is_here(int rank) const { return slot(rank).node == header().node; }
  [[nodiscard]] bool checks_in_full() const { return header().check_full != 0; }

  [[nodiscard]] std::byte* band(int rank) const {
    return base_ + static_cast<std::size_t>(rank) * band_bytes_;
  }
  [[nodiscard]] std::size_t band_bytes() const { return band_bytes_; }
  /// Where in every band the memory for others begins.
  [[nodiscard]] std::size_t heap_offset() const { return heap_offset_; }
  [[nodiscard]] BandHead& head(int rank) const { return *reinterpret_cast<BandHead*>(band(rank)); }
  [[nodiscard]] TeamBlock& world_block() const;
  /// The lock that accumulates into the chunk at this address of that rank's band hold.
  [[nodiscard]] LockWord& chunk_lock(int rank, const void* address) const {
    const auto offset =
        static_cast<std::size_t>(static_cast<const std::byte*>(address) - band(rank));
    return head(rank).chunk_lock[offset / chunk_bytes % chunk_locks].word;
  }
  /// Whose band an address lies in, or Rank::none().
  [[nodiscard]] Rank owner(const void* address) const;

  /// Throws Error(bad_rank) or Error(bad_address) naming call, rank, address and nearest
  /// allocation, unless [address, address + bytes) lies in what that rank has allocated.
  void require(Rank rank, const void* address, std::size_t bytes, const char* call) const;
  /// Whether those bytes lie in what a rank of this node has allocated. Throws nothing.
  [[nodiscard]] bool holds(int rank, std::uint64_t address, std::uint64_t bytes) const;
  /// What a rank of this node exposes beside its segment; nullptr: nothing, or there is no such
  /// rank.
  [[nodiscard]] const Exposures* exposures(int rank) const;
  /// How much of its heap a rank of this node has ever allocated, in bytes from its begin.
  [[nodiscard]] std::uint64_t extent(int rank) const {
    return __atomic_load_n(&view(rank).extent, __ATOMIC_ACQUIRE);
  }
  /// The account of this node's memory that is promised and not there yet.
  [[nodiscard]] Reservations reservations() const { return Reservations(control_); }
  /// Whether large local memory is reserved, but has no pages before they are touched. Virtual
  /// ranks take their memory to other nodes and other jobs, which have promised nothing.
  [[nodiscard]] bool is_lazy() const { return header().ranks_are_virtual == 0; }
  /// Gives back the pages of what that rank of this node has freed and keeps.
  void empty_kept(int rank) const;
  /// The same of all ranks of this node; and promises that were kept by now end.
  void relieve() const;
  /// How much more of the node's memory can be had; if that is less than `wanted`, of all that is
  /// not in use.
  [[nodiscard]] topology::MemoryRoom room_for(std::uint64_t wanted) const;
  /// Throws Error(bad_rank).
  void require_rank(Rank rank, const char* call) const;

  /// Of a virtual rank that has come to this node, or left it: its band can be touched, or all but
  /// the head cannot. Throws Error(start).
  void show(int rank) const;
  void hide(int rank) const;
  /// Has what a rank of this node has allocated, and what pages there are of it in `file` (that of
  /// all bands, or -1), written into a core file of this process. For signal handlers.
  void put_into_core(int rank, int file) const;
  /// What the fast path of the node's processes knows of a rank's band.
  [[nodiscard]] detail::BandView* fast_view(int rank) const { return &view(rank); }

 protected:
  [[nodiscard]] Allocations& allocations(int rank) const;
  [[nodiscard]] KeptBlocks& kept_blocks(int rank) const;
  /// Gives back the pages of one that belongs to no allocation, and what was promised for it.
  void empty(const KeptBlocks::Block& block, int rank) const;
  [[nodiscard]] detail::BandView& view(int rank) const { return control_.bands()[rank]; }

 private:
  friend class TemporaryMapping;
  explicit Mapping(Control control);
  static const Mapping& join(Control control, const std::vector<int>& bands, void* place);
  void map_bands(const std::vector<int>& bands) const;
  void map_bands(int first, int count, int file, int access) const;
  [[nodiscard]] std::size_t hidden_from() const;
  [[nodiscard]] bool protect(int rank, int protection) const;
  [[noreturn]] void bad_address(Rank rank, const void* address, std::size_t bytes,
                                const char* call) const;
  void count_lazy(int rank) const;

  Control control_;
  int ranks_ = 0;
  std::byte* base_ = nullptr;
  std::size_t band_bytes_ = 0;
  std::size_t heap_offset_ = 0;
};

/// Another job than the process's own, for a while: what was joined before is joined again when
/// this is gone. For jobs whose ranks all live and end in this process, as in tests.
class TemporaryMapping {
 public:
  TemporaryMapping(Control control, const std::vector<int>& bands);
  TemporaryMapping(const TemporaryMapping&) = delete;
  TemporaryMapping& operator=(const TemporaryMapping&) = delete;
  ~TemporaryMapping();

  [[nodiscard]] const Mapping& mapping() const;

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace armature::space
