#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "calls.hpp"
#include "departure.hpp"
#include "libcaf.hpp"
#include "numbers.hpp"

// image_status, failed_images, stopped_images, of the current team.

namespace caf {
namespace {

template <class Integer>
void write(Descriptor& result, const std::vector<int>& images) {
  auto* const numbers = static_cast<Integer*>(std::malloc((images.size() + 1) * sizeof(Integer)));
  if (numbers == nullptr) refuse("no memory for the images' numbers", stat::allocation);
  for (std::size_t i = 0; i < images.size(); ++i) numbers[i] = static_cast<Integer>(images[i]);
  result.base = numbers;
  result.offset = 0;
  result.data_type.element_bytes = sizeof(Integer);
  result.data_type.type = Type::integer;
  result.data_type.rank = 1;
  result.span = sizeof(Integer);
  result.dimensions[0] = {1, 0, static_cast<std::ptrdiff_t>(images.size()) - 1};
}

/// The compiler frees the array.
void list_images(Descriptor& result, int status, int kind) {
  const TeamOfImages& team = *image().current;
  std::vector<int> images;
  for (int number = 1; number <= team.size(); ++number)
    if (status_of(team, number) == status) images.push_back(number);
  switch (kind) {
    case 1:
      return write<std::int8_t>(result, images);
    case 2:
      return write<std::int16_t>(result, images);
    case 4:
      return write<std::int32_t>(result, images);
    case 8:
      return write<std::int64_t>(result, images);
    case 16:
      return write<Integer16>(result, images);
    default:
      refuse("integers of kind " + std::to_string(kind) + ", which is none");
  }
}

}  // namespace
}  // namespace caf

extern "C" {

int _gfortran_caf_image_status(int image, const void* /*team*/) {
  return caf::insisted("image_status", [=] {
    const caf::Image& me = caf::image();
    (void)caf::rank_of_image(me, image);
    return caf::status_of(*me.current, image);
  });
}

void _gfortran_caf_failed_images(caf::Descriptor* result, const void* /*team*/, const int* kind) {
  caf::perform("failed_images", {}, [=] {
    caf::list_images(*result, caf::stat::failed_image, kind == nullptr ? 4 : *kind);
  });
}

void _gfortran_caf_stopped_images(caf::Descriptor* result, const void* /*team*/, const int* kind) {
  caf::perform("stopped_images", {}, [=] {
    caf::list_images(*result, caf::stat::stopped_image, kind == nullptr ? 4 : *kind);
  });
}

}  // extern "C"
