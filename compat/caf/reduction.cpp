#include <cstdint>
#include <cstring>
#include <string>

#include "calls.hpp"
#include "collectives.hpp"
#include "elements.hpp"
#include "libcaf.hpp"
#include "numbers.hpp"

// co_reduce: the program's function combines two elements. It returns its result as C functions do:
// numbers in registers, larger derived types and characters in memory whose address comes first.

namespace caf {
namespace {

// How the compiler says that the function is called.
constexpr int result_by_reference = 1;
constexpr int has_lengths = 2;
constexpr int takes_values = 4;
constexpr int takes_descriptors = 8;

template <class T>
void reduce_numbers(const Argument& argument, int result_image, void (*operation)(), int flags) {
  if ((flags & takes_values) != 0) {
    auto* const combined = reinterpret_cast<T (*)(T, T)>(operation);
    return combine<T>(argument, result_image, [=](T a, T b) { return combined(a, b); });
  }
  auto* const combined = reinterpret_cast<T (*)(const T*, const T*)>(operation);
  combine<T>(argument, result_image, [=](T a, T b) { return combined(&a, &b); });
}

/// Returns false for a type that has no numbers.
bool reduce_number(const Argument& argument, int result_image, void (*operation)(), int flags) {
  const auto reduce = [&]<class T>(T) {
    reduce_numbers<T>(argument, result_image, operation, flags);
    return true;
  };
  const std::size_t bytes = argument.element_bytes();
  switch (argument.array().data_type.type) {
    case Type::integer:
    case Type::logical:
      if (bytes == 1) return reduce(std::int8_t());
      if (bytes == 2) return reduce(std::int16_t());
      if (bytes == 4) return reduce(std::int32_t());
      if (bytes == 8) return reduce(std::int64_t());
      return bytes == 16 && reduce(Integer16());
    case Type::real:
      if (bytes == 4) return reduce(float());
      if (bytes == 8) return reduce(double());
      return bytes == 16 && reduce(Real16());
    case Type::complex:
      if (bytes == 8) return reduce(Complex<float>());
      return bytes == 16 && reduce(Complex<double>());
    default:
      return false;
  }
}

void reduce_characters(const Argument& argument, int result_image, void (*operation)(),
                       std::size_t length) {
  using Combined = void(void* result, std::size_t result_length, const void* a, const void* b,
                        std::size_t a_length, std::size_t b_length);
  auto* const combined = reinterpret_cast<Combined*>(operation);
  combine_bytes(argument, result_image,
                [=](std::byte* result, const std::byte* a, const std::byte* b) {
                  combined(result, length, a, b, length, length);
                });
}

void reduce_objects(const Argument& argument, int result_image, void (*operation)()) {
  // Two registers' worth comes back in registers, and which ones depends on the components.
  constexpr std::size_t registers_bytes = 16;
  if (argument.element_bytes() <= registers_bytes)
    refuse("elements of a derived type of " + std::to_string(argument.element_bytes()) +
           " bytes: the compiler does not tell how they are returned. With more than 16 bytes they "
           "are");
  auto* const combined =
      reinterpret_cast<void* (*)(void* result, const void* a, const void* b)>(operation);
  combine_bytes(
      argument, result_image,
      [=](std::byte* result, const std::byte* a, const std::byte* b) { combined(result, a, b); });
}

void reduce(const Descriptor& a, void (*operation)(), int flags, int result_image, int length) {
  const Argument argument(a);
  if ((flags & takes_descriptors) != 0)
    refuse("the function takes arrays with descriptors, which is none for two elements");
  if (a.data_type.type == Type::character || (flags & has_lengths) != 0) {
    const std::size_t bytes = a.data_type.element_bytes;
    const bool is_wide = length > 0 && bytes == 4 * static_cast<std::size_t>(length);
    return reduce_characters(argument, result_image, operation, is_wide ? bytes / 4 : bytes);
  }
  require_no_kind_10(argument);
  if ((flags & result_by_reference) == 0 && reduce_number(argument, result_image, operation, flags))
    return;
  reduce_objects(argument, result_image, operation);
}

}  // namespace
}  // namespace caf

extern "C" void _gfortran_caf_co_reduce(const caf::Descriptor* a, void (*operation)(), int flags,
                                        int result_image, int* stat, char* message, int length,
                                        std::size_t message_bytes) {
  caf::perform("co_reduce", {stat, message, message_bytes},
               [=] { caf::reduce(*a, operation, flags, result_image, length); });
}
