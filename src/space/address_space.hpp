#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/job_mutex.hpp"
#include "space/heap.hpp"
#include "space/mapping.hpp"

namespace armature::space {

/// The global address space as one rank sees it: what its process has mapped, and the heap in the
/// rank's own band. Used by that rank only.
class AddressSpace : public Mapping {
 public:
  /// The memory file that the band lies in, from where on. Must stay open.
  struct BandFile {
    int descriptor;
    std::uint64_t offset = 0;
  };
  /// Makes the heap and lets others reach it.
  AddressSpace(const Mapping& mapping, Rank me, BandFile file);
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  [[nodiscard]] Rank me() const { return me_; }

  struct Failure {
    std::string limit;       // what stops it
    std::uint64_t free = 0;  // how much there would be
  };
  /// Zero-filled, reserved memory in the own band. On failure nullptr, and `failure` says why.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, Allocation::Kind kind,
                               Failure& failure);
  /// For the library's own structures that are used in part.
  [[nodiscard]] void* allocate_sparse(std::size_t bytes, Failure& failure);
  /// For what goes to another rank. Of virtual ranks there may be many, which have little to say to
  /// each other: theirs is sparse.
  [[nodiscard]] void* allocate_ring(std::size_t bytes, Failure& failure);
  /// The memory file of all bands is open under that number in this process.
  static void use_file(int descriptor) { Heap::use_file(descriptor); }
  /// False when nothing of that kind begins there.
  [[nodiscard]] bool free(void* address, Allocation::Kind kind);

  /// Frees a team's block of this band as soon as no member uses it any more.
  void free_when_unused(TeamBlock& block);

 private:
  void record(void* address, std::size_t bytes, Allocation::Kind kind);

  Rank me_;
  // The rank may want memory, and whoever takes in what comes for it from other nodes: a thread of
  // its process, or of the one that the rank began in.
  base::JobMutex heap_mutex_;
  Heap heap_;
  std::vector<TeamBlock*> retired_;  // let go of by this rank, not yet by all members
};

}  // namespace armature::space
