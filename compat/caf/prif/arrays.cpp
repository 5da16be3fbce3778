#include "arrays.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "../calls.hpp"

namespace caf::prif {
namespace {

// The numbers of types of ISO_Fortran_binding.h of LLVM Flang, where they begin.
namespace flang {
constexpr int half = 25, extended = 29, long_double = 30, half_complex = 32, extended_complex = 36,
              long_double_complex = 37, boolean = 39, character = 40, pointer = 41, structure = 42,
              wide_character = 43, unsigned_integer = 45;
}

[[noreturn]] void refuse_extended() {
  refuse("numbers of kind 10 are not combined: only those of kinds 2 to 8 and 16 are");
}

Type type_of_flang(int number) {
  if (number == flang::extended || number == flang::long_double ||
      number == flang::extended_complex || number == flang::long_double_complex)
    refuse_extended();
  if (number < 0 || number == flang::structure || number == flang::pointer) return Type::derived;
  if (number < flang::half) return Type::integer;
  if (number < flang::half_complex) return Type::real;
  if (number < flang::boolean) return Type::complex;
  if (number == flang::boolean) return Type::logical;
  if (number == flang::character ||
      (number >= flang::wide_character && number < flang::unsigned_integer))
    return Type::character;
  return Type::integer;
}

Type type_of_gfortran(int number) {
  constexpr int kind_extended = 10;
  const int type = number & 0xff;
  if ((type == 3 || type == 4) && number >> 8 == kind_extended) refuse_extended();
  constexpr Type types[] = {Type::derived, Type::integer,   Type::logical, Type::real,
                            Type::complex, Type::character, Type::derived};
  return number > 0 && type < 7 ? types[type] : Type::derived;
}

/// gfortran has the attribute and two bytes of type; Flang a byte of type, and the attribute.
int type_number_of(const Array& array) {
  if (array.is_of_flang()) return static_cast<signed char>(array.rest[0]);
  std::int16_t number;
  std::memcpy(&number, array.rest + 1, sizeof number);
  return number;
}

}  // namespace

Descriptor descriptor_of(const Array& array) {
  Descriptor descriptor{};
  descriptor.base = array.base;
  descriptor.data_type.element_bytes = array.element_bytes;
  descriptor.data_type.rank = array.rank;
  descriptor.data_type.type = array.is_of_flang() ? type_of_flang(type_number_of(array))
                                                  : type_of_gfortran(type_number_of(array));
  descriptor.data_type.version = version_with_bytes;
  for (int i = 0; i < array.rank; ++i) {
    const Array::Extent& extent = array.extents[i];
    descriptor.dimensions[i] = {extent.bytes_apart, 1, extent.count};
  }
  return descriptor;
}

void reallocate(Array& array, std::size_t count) {
  const std::size_t bytes = count * array.element_bytes;
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) refuse("no memory for an array", stat::allocation);
  std::free(array.base);
  array.base = memory;
  if (array.rank == 0) return;
  array.extents[0] = {1, static_cast<std::ptrdiff_t>(count),
                      static_cast<std::ptrdiff_t>(array.element_bytes)};
}

void write_fixed(const Array& variable, std::string_view text) {
  const std::size_t kept = std::min(text.size(), variable.element_bytes);
  auto* const to = static_cast<char*>(variable.base);
  std::memcpy(to, text.data(), kept);
  std::memset(to + kept, ' ', variable.element_bytes - kept);
}

void write_allocatable(Array& variable, std::string_view text) {
  variable.element_bytes = text.size();
  reallocate(variable, 1);
  std::memcpy(variable.base, text.data(), text.size());
}

std::string_view text_of(const Array& variable) {
  return {static_cast<const char*>(variable.base), variable.element_bytes};
}

Array scalar_for(bool is_of_flang, int version, Attribute attribute, void* base, std::size_t bytes,
                 bool is_character) {
  Array array{};
  array.base = base;
  array.element_bytes = bytes;
  array.version = version;
  const bool is_pointer = attribute == Attribute::pointer;
  if (is_of_flang) {
    array.rest[0] = is_character ? flang::character : flang::structure;
    array.rest[1] = is_pointer ? 1 : 2;
    return array;
  }
  array.rest[0] = is_pointer ? 0 : 1;
  const std::int16_t type = is_character ? 5 + (1 << 8) : 6;
  std::memcpy(array.rest + 1, &type, sizeof type);
  return array;
}

}  // namespace caf::prif
