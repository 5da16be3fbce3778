#pragma once

#include <cstddef>

#include "armature/detail/export.hpp"
#include "armature/fence.hpp"
#include "armature/global_ptr.hpp"
#include "armature/rank.hpp"
#include "armature/team.hpp"

namespace armature {

class Module;

/// The team of all ranks, as one rank sees it: `rank()` and `size()` are the job's.
class ARMATURE_API World : public Team {
 public:
  explicit World(Team all) : Team(std::move(all)) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Memory in this rank's segment that other ranks may address; not collective. Zero-filled,
  /// aligned to at least 64 bytes. Throws Error(out_of_memory).
  template <Transferable T>
  [[nodiscard]] global_ptr<T> allocate_local(std::size_t n) const {
    const std::size_t bytes = n > SIZE_MAX / sizeof(T) ? SIZE_MAX : n * sizeof(T);
    return {world_rank(rank()), static_cast<T*>(allocate_local_bytes(bytes, alignof(T)))};
  }
  /// Allocates as allocate_local does, with arbitrary contents: for memory that is written before
  /// it is read, and asked for often. As quick as malloc when as much was freed before.
  template <Transferable T>
  [[nodiscard]] global_ptr<T> allocate_local_for_overwrite(std::size_t n) const {
    const std::size_t bytes = n > SIZE_MAX / sizeof(T) ? SIZE_MAX : n * sizeof(T);
    return {world_rank(rank()),
            static_cast<T*>(allocate_local_bytes_for_overwrite(bytes, alignof(T)))};
  }
  /// Throws Error(misuse) unless it came from one of these two calls of this rank and was not
  /// freed.
  template <class T>
  void free_local(global_ptr<T> memory) const {
    free_local_bytes(memory.rank(), memory.address());
  }

  /// Starts f(world) as a further thread of control of this rank. Defined in module.hpp, which says
  /// more.
  template <class F>
  [[nodiscard]] Module start_module(F f, std::size_t stack_bytes = 256 << 10) const;

  void fence(Rank rank) const { armature::fence(rank); }
  void fence_all() const { armature::fence_all(); }

  [[nodiscard]] void* allocate_local_bytes(std::size_t bytes, std::size_t alignment) const;
  [[nodiscard]] void* allocate_local_bytes_for_overwrite(std::size_t bytes,
                                                         std::size_t alignment) const;
  void free_local_bytes(Rank rank, void* address) const;
};

}  // namespace armature
