#pragma once

#include <cstdint>

#include "armature/detail/language.hpp"

namespace armature {

/// An object's place in the tables of the ranks, and which of the objects that had this place.
struct ObjectId {
  std::uint32_t index = 0xffff'fffe;  // of none: no table is so long
  std::uint16_t generation = 0;

  friend constexpr bool operator==(ObjectId, ObjectId) = default;
};

}  // namespace armature
