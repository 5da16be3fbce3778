#pragma once

#include <cstddef>

#include "../libcaf.hpp"

// Reads and writes of other images' objects, as gfortran 15 and later call them: the program itself
// has a function for each reference to another image, and registers it.

namespace caf {

/// Has `buffer`, a pointer or the descriptor of an allocatable array, get what is read of the
/// coarray at `base`, its address or a descriptor. `must_free`: the array is new memory.
using Getter = void(void* data, const int* caller, void* buffer, int* must_free, void* base,
                    Coarray* token, std::size_t offset, std::size_t* to_length,
                    const std::size_t* from_length);
/// Assigns what is at `from`, its address or a descriptor.
using Receiver = void(void* data, const int* caller, void* base, const void* from, Coarray* token,
                      std::size_t offset, const std::size_t* to_length,
                      const std::size_t* from_length);
/// Tells whether a component is allocated.
using Presence = void(void* data, const int* caller, int* result, void* base, Coarray* token,
                      std::size_t offset);

}  // namespace caf

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void _gfortran_caf_register_accessor(int hash, void (*accessor)());
void _gfortran_caf_register_accessors_finish();
int _gfortran_caf_get_remote_function_index(int hash);

// `from`, `to`: the coarray's descriptor, if it has one. `data`: the subscripts and other values
// that the accessor needs. Lengths are those of characters, and null for other types.
void _gfortran_caf_get_from_remote(caf::Coarray* token, const caf::Descriptor* from,
                                   const std::size_t* from_length, int image,
                                   std::size_t item_bytes, void** to_pointer,
                                   std::size_t* to_length, caf::Descriptor* to, bool may_reallocate,
                                   int accessor, void* data, std::size_t data_bytes, int* stat,
                                   caf::TeamOfImages* const* team, const int* team_number);
void _gfortran_caf_send_to_remote(caf::Coarray* token, const caf::Descriptor* to,
                                  const std::size_t* to_length, int image, std::size_t item_bytes,
                                  const void* from_pointer, const std::size_t* from_length,
                                  const caf::Descriptor* from, int accessor, void* data,
                                  std::size_t data_bytes, int* stat, caf::TeamOfImages* const* team,
                                  const int* team_number);
void _gfortran_caf_transfer_between_remotes(
    caf::Coarray* to_token, const caf::Descriptor* to, std::size_t* to_length, int to_image,
    int to_accessor, void* to_data, std::size_t to_data_bytes, caf::Coarray* from_token,
    const caf::Descriptor* from, const std::size_t* from_length, int from_image, int from_accessor,
    void* from_data, std::size_t from_data_bytes, std::size_t item_bytes, bool is_scalar,
    int* to_stat, int* from_stat, caf::TeamOfImages* const* to_team, const int* to_team_number,
    caf::TeamOfImages* const* from_team, const int* from_team_number);
int _gfortran_caf_is_present_on_remote(caf::Coarray* token, int image, int accessor, void* data,
                                       std::size_t data_bytes);

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
