#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "space/local_memory.hpp"
#include "space/mapping.hpp"
#include "space/new_memory.hpp"
#include "space/segment_heap.hpp"
#include "space/symmetric_memory.hpp"

namespace armature::space {

/// The global address space as one rank sees it: what its process has mapped, and the memory of the
/// rank's own segment. Used by that rank, and by its door (net/network.hpp).
class AddressSpace : public Mapping {
 public:
  using SegmentFile = SegmentHeap::File;
  using Failure = SegmentHeap::Failure;
  using By = SegmentHeap::By;
  using Contents = LocalMemory::Contents;

  /// Makes the heap and lets others reach it.
  AddressSpace(const Mapping& mapping, Rank me, SegmentFile file);
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  [[nodiscard]] Rank me() const { return heap_.me(); }
  /// A process is lost, and what is done until all roll back will not have been.
  [[nodiscard]] bool rolls_back() const { return heap_.rolls_back(); }

  /// Zero-filled, reserved memory in the own segment. On failure nullptr, and `failure` says why.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, Allocation::Kind kind,
                               Failure& failure, By by = By::rank);
  /// For the library's own structures that are used in part.
  [[nodiscard]] void* allocate_sparse(std::size_t bytes, Failure& failure);
  /// For what goes to another rank. Of virtual ranks there may be many, which have little to say to
  /// each other: theirs is sparse.
  [[nodiscard]] void* allocate_ring(std::size_t bytes, Failure& failure);
  /// False when nothing of that kind begins there.
  [[nodiscard]] bool free(void* address, Allocation::Kind kind, By by = By::rank);

  /// The rank's own memory. Most calls need no more than the two that follow.
  [[nodiscard]] LocalMemory& local() { return local_; }
  /// Memory that was freed and holds anything. nullptr: call local().allocate.
  [[nodiscard]] void* reuse(std::size_t bytes, std::size_t alignment) {
    return heap_.reuse(bytes, alignment);
  }
  /// Frees local memory. False: call free.
  [[nodiscard]] bool keep(void* address) { return heap_.keep(address); }

  [[nodiscard]] SymmetricMemory& symmetric() { return symmetric_; }

  /// Frees a team's block of this segment once no member uses it any more: when the rank asks for
  /// memory next, or lets go of another block.
  void free_when_unused(TeamBlock& block);

 private:
  void free_unused_blocks();

  SegmentHeap heap_;
  NewMemory new_;
  LocalMemory local_;
  SymmetricMemory symmetric_;
  // Team blocks that this rank has let go of, and other members may not yet. Under the heap's lock.
  std::vector<TeamBlock*> retired_;
};

}  // namespace armature::space
