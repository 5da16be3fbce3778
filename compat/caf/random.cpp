#include <array>
#include <cstdint>

#include "calls.hpp"
#include "image.hpp"
#include "libcaf.hpp"

// random_init: seeds that images share or not, the same in each run or not (Fortran
// 2018, 16.9.155).

extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier): libgfortran's name
[[gnu::weak]] void _gfortran_random_seed_i4(int* size, caf::Descriptor* put, caf::Descriptor* get);
}

namespace caf {
namespace {

/// splitmix64 (Steele, Lea and Flood, 2014): words that look random from any number.
std::uint64_t mixed(std::uint64_t& state) {
  std::uint64_t word = state += 0x9e37'79b9'7f4a'7c15;
  word = (word ^ word >> 30) * 0xbf58'476d'1ce4'e5b9;
  word = (word ^ word >> 27) * 0x94d0'49bb'1331'11eb;
  return word ^ word >> 31;
}

void seed(std::uint64_t from) {
  if (_gfortran_random_seed_i4 == nullptr) return;
  constexpr std::size_t words = 8;  // of gfortran's generator
  std::array<std::int32_t, words> numbers{};
  for (std::int32_t& number : numbers) number = static_cast<std::int32_t>(mixed(from));
  Descriptor put{};
  put.base = numbers.data();
  put.data_type = {sizeof(std::int32_t), 0, 1, Type::integer, 0};
  put.span = sizeof(std::int32_t);
  put.dimensions[0] = {1, 0, words - 1};
  _gfortran_random_seed_i4(nullptr, &put, nullptr);
}

}  // namespace
}  // namespace caf

extern "C" void _gfortran_caf_random_init(int is_repeatable, int is_image_distinct) {
  caf::perform("random_init", {}, [=] {
    caf::Image& me = caf::image();
    // A seed that is not repeatable differs between runs, and between calls.
    std::uint64_t from = 20'180;
    if (is_repeatable == 0) from = me.job_seed + ++me.seeds;
    if (is_image_distinct != 0) from ^= static_cast<std::uint64_t>(me.rank + 1) << 40;
    caf::seed(from);
  });
}
