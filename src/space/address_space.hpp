#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "armature/rank.hpp"
#include "base/file_descriptor.hpp"
#include "space/allocations.hpp"
#include "space/band_head.hpp"
#include "space/control.hpp"
#include "space/heap.hpp"
#include "space/team_block.hpp"

namespace armature::space {

/// The job's global address space as this process sees it: every band mapped at its address, the
/// control block, and the heap of the rank that runs here. One per process, made by join() and kept
/// until exit.
class AddressSpace {
 public:
  /// Maps everything and opens the inlined fast path. `bands` are the memory files in rank order.
  /// Throws Error(start) that names the clash or limit.
  static AddressSpace& join(Rank me, Control control, const std::vector<int>& bands);
  /// The one that was joined; asserts that there is one.
  static AddressSpace& instance();
  /// False before join and after leave.
  static bool joined();
  /// Closes the fast path: from now on every call is an error.
  void leave();

  [[nodiscard]] Rank me() const { return me_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] ControlHeader& header() const { return control_.header(); }
  [[nodiscard]] RankSlot& slot(int rank) const { return control_.slot(rank); }
  [[nodiscard]] bool checks_in_full() const { return header().check_full != 0; }

  [[nodiscard]] std::byte* band(int rank) const {
    return base_ + static_cast<std::size_t>(rank) * band_bytes_;
  }
  [[nodiscard]] std::size_t band_bytes() const { return band_bytes_; }
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

  // -- memory of this rank
  // -------------------------------------------------------------------------

  struct Failure {
    std::string limit;       // what stops it
    std::uint64_t free = 0;  // how much there would be
  };
  /// Zero-filled, reserved memory in the own band. On failure nullptr, and `failure` says why.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, Allocation::Kind kind,
                               Failure& failure);
  /// For the library's own structures that are used in part.
  [[nodiscard]] void* allocate_sparse(std::size_t bytes, Failure& failure);
  /// False when nothing of that kind begins there.
  [[nodiscard]] bool free(void* address, Allocation::Kind kind);

  // -- checks
  // ----------------------------------------------------------------------------------------

  /// Throws Error(bad_rank) or Error(bad_address) naming call, rank, address and nearest
  /// allocation, unless [address, address + bytes) lies in what that rank has allocated.
  void require(Rank rank, const void* address, std::size_t bytes, const char* call) const;
  /// Throws Error(bad_rank).
  void require_rank(Rank rank, const char* call) const;

 private:
  AddressSpace(Rank me, Control control, const std::vector<int>& bands);
  void map_bands(const std::vector<int>& bands);
  void record(void* address, std::size_t bytes, Allocation::Kind kind);
  [[nodiscard]] Allocations& allocations(int rank) const;
  [[noreturn]] void bad_address(Rank rank, const void* address, std::size_t bytes,
                                const char* call) const;

  Rank me_;
  Control control_;
  int ranks_ = 0;
  std::byte* base_ = nullptr;
  std::size_t band_bytes_ = 0;
  base::FileDescriptor band_file_;
  Heap heap_;
  std::vector<detail::BandView>
      nothing_reachable_;  // what the fast path sees when every check is in full
};

}  // namespace armature::space
