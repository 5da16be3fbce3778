#include "../accessors/libcaf_accessors.hpp"
#include "../accessors/remote.hpp"

extern "C" {

int _gfortran_caf_is_present_on_remote(caf::Coarray* token, int image, int accessor, void* data,
                                       std::size_t data_bytes) {
  return caf::presence(token, image, accessor, data, data_bytes,
                       caf::PresenceBase::address_of_pointer);
}

}  // extern "C"
