#include "status.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "calls.hpp"
#include "departure.hpp"
#include "numbers.hpp"

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

}  // namespace

void list_images(Descriptor& result, const TeamOfImages& team, int status, int kind) {
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

}  // namespace caf
