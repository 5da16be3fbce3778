#include <cstdlib>
#include <string>

#include "../calls.hpp"
#include "libcaf12.hpp"
#include "references.hpp"

// Reads and writes of parts of other images' objects, which the compiler describes by references.

namespace caf {
namespace {

bool has_shape(const Descriptor& array, const std::vector<std::size_t>& shape) {
  if (array.base == nullptr) return false;
  if (static_cast<std::size_t>(array.rank()) != shape.size()) return true;  // the compiler knows
  for (int i = 0; i < array.rank(); ++i)
    if (static_cast<std::size_t>(array.dimensions[i].extent()) !=
        shape[static_cast<std::size_t>(i)])
      return false;
  return true;
}

/// Gives an allocatable variable, or the result of an expression, the shape of what is assigned to
/// it. The compiler frees the memory with free().
void reallocate(Descriptor& array, const Followed& from) {
  std::ptrdiff_t elements = 1;
  std::ptrdiff_t offset = 0;
  for (int i = 0; i < array.rank(); ++i) {
    const auto extent = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) < from.shape.size()
                                                        ? from.shape[static_cast<std::size_t>(i)]
                                                        : 1);
    array.dimensions[i] = {elements, 1, extent};
    offset -= elements;
    elements *= extent;
  }
  array.offset = static_cast<std::size_t>(offset);
  array.span = static_cast<std::ptrdiff_t>(array.data_type.element_bytes);
  const std::size_t bytes = static_cast<std::size_t>(elements) * array.data_type.element_bytes;
  void* const memory = std::realloc(array.base, bytes > 0 ? bytes : 1);
  if (memory == nullptr)
    refuse("no memory for " + std::to_string(bytes) + " bytes", stat::allocation);
  array.base = memory;
}

}  // namespace
}  // namespace caf

extern "C" {

void _gfortran_caf_get_by_ref(caf::Coarray* token, int image, caf::Descriptor* to,
                              const caf::Reference* references, int to_kind, int from_kind,
                              bool may_overlap, bool may_reallocate, int* stat, int from_type) {
  caf::perform("get", {stat}, [=] {
    const caf::Followed from = caf::follow(token, image, references, from_kind, from_type);
    if (may_reallocate && !caf::has_shape(*to, from.shape)) caf::reallocate(*to, from);
    caf::get(caf::section_of(*to, static_cast<std::byte*>(to->base)), caf::element_of(*to, to_kind),
             from.what, may_overlap);
  });
}

void _gfortran_caf_send_by_ref(caf::Coarray* token, int image, const caf::Descriptor* from,
                               const caf::Reference* references, int to_kind, int from_kind,
                               bool may_overlap, bool /*may_reallocate*/, int* stat, int to_type) {
  caf::perform("send", {stat}, [=] {
    const caf::Followed to = caf::follow(token, image, references, to_kind, to_type);
    caf::put(to.what, caf::section_of(*from, static_cast<std::byte*>(from->base)),
             caf::element_of(*from, from_kind), may_overlap);
  });
}

void _gfortran_caf_sendget_by_ref(caf::Coarray* to_token, int to_image,
                                  const caf::Reference* to_references, caf::Coarray* from_token,
                                  int from_image, const caf::Reference* from_references,
                                  int to_kind, int from_kind, bool /*may_overlap*/, int* to_stat,
                                  int* from_stat, int to_type, int from_type) {
  if (from_stat != nullptr) *from_stat = 0;
  caf::perform("send of another image's", {to_stat}, [=] {
    const caf::Followed from =
        caf::follow(from_token, from_image, from_references, from_kind, from_type);
    const caf::Followed to = caf::follow(to_token, to_image, to_references, to_kind, to_type);
    caf::get_and_put(to.what, from.what);
  });
}

int _gfortran_caf_is_present(caf::Coarray* token, int image, const caf::Reference* references) {
  return caf::insisted("allocated",
                       [=] { return caf::is_allocated(token, image, references) ? 1 : 0; });
}

}  // extern "C"
