#include "armature/locality.hpp"
#include "space/address_space.hpp"

namespace armature {

Rank owner_of(const void* address) {
  return space::AddressSpace::joined() ? space::AddressSpace::instance().owner(address)
                                       : Rank::none();
}

}  // namespace armature
