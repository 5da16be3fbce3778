#include "space/address_reservation.hpp"

#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace armature::space {

AddressReservation::AddressReservation(Room room) : bytes_(below_segments_bytes_max + room.bytes) {
  start_ = mmap(reinterpret_cast<void*>(room.base - below_segments_bytes_max), bytes_, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

AddressReservation::~AddressReservation() {
  if (start_ != MAP_FAILED) munmap(start_, bytes_);
}

}  // namespace armature::space
