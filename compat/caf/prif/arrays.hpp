#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../descriptor.hpp"

// Arrays as C functions get them from Fortran (Fortran 2018, 18.5.3). Both compilers have the same
// fields up to the rank; then the order and the types' numbers differ.

namespace caf::prif {

struct Array {
  struct Extent {
    std::ptrdiff_t lower, count, bytes_apart;
  };

  void* base;
  std::size_t element_bytes;
  int version;
  signed char rank;
  unsigned char rest[3];
  Extent extents[dimensions_max];

  [[nodiscard]] bool is_of_flang() const { return version > 1; }  // 1: gfortran
  /// The elements of an array of rank 1, or a scalar.
  [[nodiscard]] std::size_t count() const {
    return rank == 0 ? 1 : static_cast<std::size_t>(extents[0].count);
  }
  template <class T>
  [[nodiscard]] T& at(std::size_t index) const {
    const std::ptrdiff_t apart =
        rank == 0 ? 0 : static_cast<std::ptrdiff_t>(index) * extents[0].bytes_apart;
    return *reinterpret_cast<T*>(static_cast<std::byte*>(base) + apart);
  }
};
static_assert(offsetof(Array, extents) == 24);

/// Throws Refusal for reals and complex numbers of kind 10, which nothing here combines.
[[nodiscard]] Descriptor descriptor_of(const Array& array);

/// Makes an allocatable array of `count` new elements; what it had is freed.
void reallocate(Array& array, std::size_t count);
/// Gives a character variable that text; one of a fixed length is filled up with blanks.
void write_fixed(const Array& variable, std::string_view text);
void write_allocatable(Array& variable, std::string_view text);
[[nodiscard]] std::string_view text_of(const Array& variable);

/// An allocatable or pointer scalar without a value, as that compiler's programs take it: for what
/// they call back.
enum class Attribute { pointer, allocatable };
[[nodiscard]] Array scalar_for(bool is_of_flang, int version, Attribute attribute, void* base,
                               std::size_t bytes, bool is_character);

}  // namespace caf::prif
