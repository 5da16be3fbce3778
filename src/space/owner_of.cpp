#include "armature/locality.hpp"
#include "space/mapping.hpp"

namespace armature {

Rank owner_of(const void* address) {
  const space::Mapping* mapping = space::Mapping::of_process();
  return mapping != nullptr ? mapping->owner(address) : Rank::none();
}

}  // namespace armature
