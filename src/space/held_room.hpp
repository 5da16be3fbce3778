#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::space {

/// While this lives, nobody maps anything where the bands of a job are to lie. Libraries that join
/// an unknown job first share memory, and choose places in the middle of what is free (PMIx 5: a
/// half, a quarter of the address space).
class HeldRoom {
 public:
  /// From `base` on as much as the bands of any job take, and what lies below them. Where that is
  /// not free, or not allowed, nothing is held: mapping the bands will say so.
  explicit HeldRoom(std::uint64_t base);
  HeldRoom(const HeldRoom&) = delete;
  HeldRoom& operator=(const HeldRoom&) = delete;
  ~HeldRoom();

 private:
  void* start_;
  std::size_t bytes_;
};

}  // namespace armature::space
