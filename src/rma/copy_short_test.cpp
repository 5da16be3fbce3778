#include <array>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "armature/detail/transfer.hpp"

namespace armature::detail {
namespace {

TEST(CopyShort, copies_exactly_as_many_bytes_as_it_is_told) {
  constexpr std::size_t margin = 8;
  std::array<std::uint8_t, copy_short_max> from;
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(i + 1);
  for (std::size_t bytes = 0; bytes <= copy_short_max; ++bytes) {
    std::array<std::uint8_t, copy_short_max + 2 * margin> to = {};
    copy_short(to.data() + margin, from.data(), bytes);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const bool inside = i >= margin && i < margin + bytes;
      ASSERT_EQ(to[i], inside ? from[i - margin] : 0) << bytes << " bytes, place " << i;
    }
  }
}

TEST(CopyShort, leaves_memory_copied_to_itself_as_it_is) {
  std::array<std::uint8_t, copy_short_max> memory;
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i);
  for (std::size_t bytes = 0; bytes <= copy_short_max; ++bytes)
    copy_short(memory.data(), memory.data(), bytes);
  for (std::size_t i = 0; i < memory.size(); ++i) EXPECT_EQ(memory[i], i);
}

}  // namespace
}  // namespace armature::detail
