#include "../accessors/libcaf_accessors.hpp"
#include "../accessors/remote.hpp"
#include "../calls.hpp"

extern "C" {

int _gfortran_caf_is_present_on_remote(caf::Coarray* token, int image, int accessor, void* data,
                                       std::size_t data_bytes) {
  // One that move_alloc has given away may have ended with its team.
  if (token == nullptr || token->mine == nullptr) return 0;
  return caf::insisted("allocated", [=] {
    const caf::Access access{token,     caf::rank_meant(token, image, nullptr, nullptr),
                             image,     caf::bounds_of(*token),
                             accessor,  data,
                             data_bytes};
    return caf::is_present(access, caf::PresenceBase::address) ? 1 : 0;
  });
}

}  // extern "C"
