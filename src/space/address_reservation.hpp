#pragma once

#include <cstddef>
#include <cstdint>

#include "space/layout.hpp"

namespace armature::space {

/// The address range in which the segments of a job are to lie. By default it begins at the default
/// base and is as long as any job needs.
struct Room {
  std::uint64_t base = default_base;
  std::uint64_t bytes = default_room;
};

/// While this lives, nobody maps anything where the segments of a job are to lie. Libraries that
/// join an unknown job first share memory, and choose places in the middle of what is free (PMIx 5:
/// a half, a quarter of the address space).
class AddressReservation {
 public:
  /// And what lies below. Where that is not free, or not allowed, nothing is held: mapping the
  /// segments will say so.
  explicit AddressReservation(Room room);
  AddressReservation(const AddressReservation&) = delete;
  AddressReservation& operator=(const AddressReservation&) = delete;
  ~AddressReservation();

 private:
  void* start_;
  std::size_t bytes_;
};

}  // namespace armature::space
