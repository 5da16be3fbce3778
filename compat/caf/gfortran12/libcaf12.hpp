#pragma once

#include <cstddef>

#include "../libcaf.hpp"

// Reads and writes of other images' objects, as gfortran 12 to 14 call them.

namespace caf {

/// The arguments of reads and writes behind the sixth. The compiler hands them over one by one, in
/// memory: as one structure is by value on x86-64. A function that has them as a structure leaves
/// them there, instead of saving registers to have them in. Other processors' conventions hand a
/// structure of this size over by its address: there the arguments are taken one by one.
struct RestOfGet {
  alignas(8) int from_kind;
  alignas(8) int to_kind;
  alignas(8) bool may_overlap;
  int* stat;
};
struct RestOfSend {
  alignas(8) int to_kind;
  alignas(8) int from_kind;
  alignas(8) bool may_overlap;
  int* stat;
  TeamOfImages* const* team;
};
static_assert(sizeof(RestOfGet) == 32 && sizeof(RestOfSend) == 40);

}  // namespace caf

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

#if defined(__x86_64__)
void _gfortran_caf_get(caf::Coarray* token, std::size_t offset, int image,
                       const caf::Descriptor* from, const caf::Subscripts* subscripts,
                       const caf::Descriptor* to, caf::RestOfGet rest);
void _gfortran_caf_send(caf::Coarray* token, std::size_t offset, int image,
                        const caf::Descriptor* to, const caf::Subscripts* subscripts,
                        const caf::Descriptor* from, caf::RestOfSend rest);
#else
void _gfortran_caf_get(caf::Coarray* token, std::size_t offset, int image,
                       const caf::Descriptor* from, const caf::Subscripts* subscripts,
                       const caf::Descriptor* to, int from_kind, int to_kind, bool may_overlap,
                       int* stat);
void _gfortran_caf_send(caf::Coarray* token, std::size_t offset, int image,
                        const caf::Descriptor* to, const caf::Subscripts* subscripts,
                        const caf::Descriptor* from, int to_kind, int from_kind, bool may_overlap,
                        int* stat, caf::TeamOfImages* const* team);
#endif
void _gfortran_caf_sendget(caf::Coarray* to_token, std::size_t to_offset, int to_image,
                           const caf::Descriptor* to, const caf::Subscripts* to_subscripts,
                           caf::Coarray* from_token, std::size_t from_offset, int from_image,
                           const caf::Descriptor* from, const caf::Subscripts* from_subscripts,
                           int to_kind, int from_kind, bool may_overlap, int* stat);

void _gfortran_caf_get_by_ref(caf::Coarray* token, int image, caf::Descriptor* to,
                              const caf::Reference* references, int to_kind, int from_kind,
                              bool may_overlap, bool may_reallocate, int* stat, int from_type);
void _gfortran_caf_send_by_ref(caf::Coarray* token, int image, const caf::Descriptor* from,
                               const caf::Reference* references, int to_kind, int from_kind,
                               bool may_overlap, bool may_reallocate, int* stat, int to_type);
void _gfortran_caf_sendget_by_ref(caf::Coarray* to_token, int to_image,
                                  const caf::Reference* to_references, caf::Coarray* from_token,
                                  int from_image, const caf::Reference* from_references,
                                  int to_kind, int from_kind, bool may_overlap, int* to_stat,
                                  int* from_stat, int to_type, int from_type);
int _gfortran_caf_is_present(caf::Coarray* token, int image, const caf::Reference* references);

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
