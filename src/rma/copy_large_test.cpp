#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "armature/detail/transfer.hpp"

namespace armature::detail {
namespace {

struct Shape {
  std::size_t bytes;
  std::size_t to_offset;
  std::size_t from_offset;
};

std::uint8_t pattern(std::size_t i) { return static_cast<std::uint8_t>(i * 131 + i / 256); }

/// Copies between places that far into page-aligned memory; true when exactly those bytes have
/// arrived.
bool copies(const Shape& shape) {
  constexpr std::uint8_t untouched = 0xa5;
  constexpr std::size_t page = 4096;
  std::vector<std::uint8_t> from_memory(shape.bytes + 3 * page),
      to_memory(shape.bytes + 3 * page, untouched);
  const auto page_of = [](std::vector<std::uint8_t>& memory) {
    return memory.data() + (page - reinterpret_cast<std::uintptr_t>(memory.data()) % page);
  };
  std::uint8_t* const from = page_of(from_memory) + shape.from_offset;
  std::uint8_t* const to = page_of(to_memory) + shape.to_offset;
  for (std::size_t i = 0; i < shape.bytes; ++i) from[i] = pattern(i);

  copy_large(to, from, shape.bytes);

  const auto is_untouched = [](std::uint8_t byte) { return byte == untouched; };
  return std::equal(from, from + shape.bytes, to) &&
         std::all_of(to_memory.data(), to, is_untouched) &&
         std::all_of(to + shape.bytes, to_memory.data() + to_memory.size(), is_untouched);
}

TEST(CopyLarge, copies_every_length_around_its_blocks) {
  for (std::size_t bytes = copy_libc_max + 1; bytes < copy_libc_max + 260; ++bytes)
    EXPECT_TRUE(copies({.bytes = bytes, .to_offset = 3, .from_offset = 0})) << bytes;
}

TEST(CopyLarge, copies_between_any_alignments) {
  for (std::size_t to = 0; to <= 128; ++to)
    for (const std::size_t from : {0, 1, 16, 31, 64})
      EXPECT_TRUE(copies({.bytes = 4096, .to_offset = to, .from_offset = from}))
          << to << " " << from;
}

TEST(CopyLarge, copies_what_no_cache_holds) {
  const std::size_t bytes = (std::size_t{40} << 20) + 77;
  EXPECT_TRUE(copies({.bytes = bytes, .to_offset = 9, .from_offset = 0}));
}

TEST(CopyLarge, leaves_memory_copied_to_itself_as_it_is) {
  std::vector<std::uint8_t> memory(10000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = pattern(i);
  copy_large(memory.data(), memory.data(), memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) ASSERT_EQ(memory[i], pattern(i));
}

}  // namespace
}  // namespace armature::detail
