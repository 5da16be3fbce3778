#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <armature/expose.hpp>

#include "conformance.hpp"

// Memory of every rank that the others reach, as the suites of transfers use it. A run chooses its
// kind by the variable CONFORMANCE_MEMORY: `segment` (as a rule), `exposed`: the rank's own, which
// no segment holds; `file`: such memory that is a shared file; `routine`: such memory that nothing
// but a copy routine touches.

namespace conformance {

enum class KindOfMemory { segment, exposed, file, routine };
/// The one that this run is about.
[[nodiscard]] KindOfMemory kind_of_memory();
/// The routine of such memory: it copies, and counts its calls.
[[nodiscard]] const armature::MemoryKind& counting_routine();
/// Calls of that routine in this process so far.
[[nodiscard]] std::size_t routine_calls();

/// Memory of the calling rank's own that the others are to reach: zeros.
class OwnMemory {
 public:
  OwnMemory() = default;
  explicit OwnMemory(std::size_t bytes);
  OwnMemory(OwnMemory&& other) noexcept { *this = std::move(other); }
  OwnMemory& operator=(OwnMemory&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(bytes_, other.bytes_);
    std::swap(file_, other.file_);
    return *this;
  }
  ~OwnMemory();

  [[nodiscard]] void* first() const { return first_; }

 private:
  void* first_ = nullptr;
  std::size_t bytes_ = 0;
  int file_ = -1;
};

/// Zeros, as many on each rank. Made, and ended by free(), by all ranks together.
template <class T>
class Reachable {
 public:
  explicit Reachable(std::size_t count) : count_(count) {
    if (kind_of_memory() == KindOfMemory::segment) {
      piece_ = world().allocate<T>(count);
      return;
    }
    memory_ = OwnMemory(count * sizeof(T));
    exposed_ = kind_of_memory() == KindOfMemory::routine
                   ? armature::expose(local(), counting_routine())
                   : armature::expose(local());
    pointers_ = world().allocate<armature::global_ptr<T>>(static_cast<std::size_t>(ranks()));
    for (int rank = 0; rank < ranks(); ++rank)
      armature::put(pointers_.on(rank) + me(), exposed_.pointer());
    armature::fence_all();
    world().barrier();
  }

  /// The first element of that rank's.
  [[nodiscard]] armature::global_ptr<T> on(int rank) const {
    if (kind_of_memory() == KindOfMemory::segment) return piece_.on(rank);
    return pointers_.local()[static_cast<std::size_t>(rank)];
  }
  /// The calling rank's.
  [[nodiscard]] std::span<T> local() const {
    if (kind_of_memory() == KindOfMemory::segment) return piece_.local();
    return {static_cast<T*>(memory_.first()), count_};
  }
  /// An element of the calling rank's.
  [[nodiscard]] T& operator[](std::size_t index) const { return local()[index]; }
  void free() {
    if (kind_of_memory() == KindOfMemory::segment) return world().free(piece_);
    armature::fence_all();
    world().barrier();
    exposed_.conceal();
    world().free(pointers_);
  }

 private:
  std::size_t count_;
  armature::Piece<T> piece_;
  OwnMemory memory_;
  armature::Exposed<T> exposed_;
  armature::Piece<armature::global_ptr<T>> pointers_;
};

}  // namespace conformance
