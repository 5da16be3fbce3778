#include "../collectives.hpp"

#include <cstring>

#include "outcome.hpp"

namespace caf::prif {
namespace {

using Operation = void(const void* a, void* b_and_result, std::size_t count, void* data);

int image_or_all(const int* result_image) {
  if (result_image == nullptr) return 0;
  (void)member_of(image(), *result_image);  // 0 is none here
  return *result_image;
}

/// Characters of kind 1, or of the kind that the compiler says.
int length_of(const Descriptor& array) { return static_cast<int>(array.data_type.element_bytes); }

void reduce(const Descriptor& array, Operation* operation, void* data, int result_image) {
  const std::size_t bytes = array.data_type.element_bytes;
  combine_bytes(Argument(array), result_image,
                [=](std::byte* result, const std::byte* a, const std::byte* b) {
                  std::memcpy(result, b, bytes);
                  operation(a, result, 1, data);
                });
}

Descriptor bytes_at(void* address, std::size_t element_bytes, std::size_t count) {
  Descriptor array{};
  array.base = address;
  array.data_type = {element_bytes, version_with_bytes, 1, Type::derived, 0};
  array.dimensions[0] = {static_cast<std::ptrdiff_t>(element_bytes), 1,
                         static_cast<std::ptrdiff_t>(count)};
  return array;
}

}  // namespace
}  // namespace caf::prif

extern "C" {

using caf::prif::Array;
using caf::prif::perform;

void _QMprifPprif_co_broadcast(const Array* a, const int* source_image, int* stat,
                               const Array* message, Array* own_message) {
  perform("co_broadcast", {stat, message, own_message},
          [=] { caf::co_broadcast(caf::prif::descriptor_of(*a), *source_image); });
}

void _QMprifPprif_co_broadcast_cptr(void* const* a, const std::size_t* bytes,
                                    const int* source_image, int* stat, const Array* message,
                                    Array* own_message) {
  perform("co_broadcast", {stat, message, own_message},
          [=] { caf::co_broadcast(caf::prif::bytes_at(*a, *bytes, 1), *source_image); });
}

void _QMprifPprif_co_sum(const Array* a, const int* result_image, int* stat, const Array* message,
                         Array* own_message) {
  perform("co_sum", {stat, message, own_message}, [=] {
    caf::co_sum(caf::prif::descriptor_of(*a), caf::prif::image_or_all(result_image));
  });
}

void _QMprifPprif_co_min(const Array* a, const int* result_image, int* stat, const Array* message,
                         Array* own_message) {
  perform("co_min", {stat, message, own_message}, [=] {
    const caf::Descriptor array = caf::prif::descriptor_of(*a);
    caf::co_min(array, caf::prif::image_or_all(result_image), caf::prif::length_of(array));
  });
}

void _QMprifPprif_co_max(const Array* a, const int* result_image, int* stat, const Array* message,
                         Array* own_message) {
  perform("co_max", {stat, message, own_message}, [=] {
    const caf::Descriptor array = caf::prif::descriptor_of(*a);
    caf::co_max(array, caf::prif::image_or_all(result_image), caf::prif::length_of(array));
  });
}

void _QMprifPprif_co_min_character(const Array* a, const int* result_image, int* stat,
                                   const Array* message, Array* own_message) {
  _QMprifPprif_co_min(a, result_image, stat, message, own_message);
}

void _QMprifPprif_co_max_character(const Array* a, const int* result_image, int* stat,
                                   const Array* message, Array* own_message) {
  _QMprifPprif_co_max(a, result_image, stat, message, own_message);
}

void _QMprifPprif_co_reduce(const Array* a, caf::prif::Operation* operation, void* data,
                            const int* result_image, int* stat, const Array* message,
                            Array* own_message) {
  perform("co_reduce", {stat, message, own_message}, [=] {
    caf::prif::reduce(caf::prif::descriptor_of(*a), operation, data,
                      caf::prif::image_or_all(result_image));
  });
}

void _QMprifPprif_co_reduce_cptr(void* const* a, const std::size_t* element_bytes,
                                 const std::size_t* count, caf::prif::Operation* operation,
                                 void* data, const int* result_image, int* stat,
                                 const Array* message, Array* own_message) {
  perform("co_reduce", {stat, message, own_message}, [=] {
    caf::prif::reduce(caf::prif::bytes_at(*a, *element_bytes, *count), operation, data,
                      caf::prif::image_or_all(result_image));
  });
}

}  // extern "C"
