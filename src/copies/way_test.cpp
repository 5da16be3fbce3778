#include "copies/way.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::copies {
namespace {

/// Shorter copies go another way.
constexpr std::size_t short_max = 2048;

std::uint8_t pattern(std::size_t i) { return static_cast<std::uint8_t>(i * 131 + i / 256); }

/// Lists the ways that this processor has.
std::vector<std::size_t> ways_here() {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < ways; ++i)
    if (candidates[i].is_there()) numbers.push_back(i);
  return numbers;
}

class EachWay : public ::testing::TestWithParam<std::size_t> {
 protected:
  static Copy way() { return candidates[GetParam()].copy; }
};
INSTANTIATE_TEST_SUITE_P(Copies, EachWay, ::testing::ValuesIn(ways_here()), [](const auto& number) {
  return std::string(candidates[number.param].name);
});

struct Shape {
  std::size_t bytes;
  std::size_t to_offset;
  std::size_t from_offset;
};

/// Copies between places that far into page-aligned memory; true when exactly those bytes have
/// arrived.
bool copies(Copy way, const Shape& shape) {
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

  way(to, from, shape.bytes);

  const auto is_untouched = [](std::uint8_t byte) { return byte == untouched; };
  return std::equal(from, from + shape.bytes, to) &&
         std::all_of(to_memory.data(), to, is_untouched) &&
         std::all_of(to + shape.bytes, to_memory.data() + to_memory.size(), is_untouched);
}

TEST_P(EachWay, copies_every_length_around_its_blocks) {
  for (std::size_t bytes = short_max + 1; bytes < short_max + 260; ++bytes)
    EXPECT_TRUE(copies(way(), {.bytes = bytes, .to_offset = 3, .from_offset = 0})) << bytes;
}

TEST_P(EachWay, copies_between_any_alignments) {
  for (std::size_t to = 0; to <= 128; ++to)
    for (const std::size_t from : {0, 1, 16, 31, 64})
      EXPECT_TRUE(copies(way(), {.bytes = 4096, .to_offset = to, .from_offset = from}))
          << to << " " << from;
}

TEST_P(EachWay, copies_what_no_cache_holds) {
  const std::size_t bytes = (std::size_t{40} << 20) + 77;
  EXPECT_TRUE(copies(way(), {.bytes = bytes, .to_offset = 9, .from_offset = 0}));
}

TEST_P(EachWay, leaves_memory_copied_to_itself_as_it_is) {
  std::vector<std::uint8_t> memory(10000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = pattern(i);
  way()(memory.data(), memory.data(), memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) ASSERT_EQ(memory[i], pattern(i));
}

TEST_P(EachWay, copies_between_places_that_lie_alike) {
  for (std::size_t offset = 0; offset <= 64; ++offset)
    EXPECT_TRUE(copies(way(), {.bytes = 5000, .to_offset = offset, .from_offset = offset}))
        << offset;
}

TEST(Ways, are_known_by_their_names) {
  for (const std::size_t i : ways_here())
    EXPECT_EQ(way_of(candidates[i].name), static_cast<Way>(i));
}

TEST(Ways, an_unknown_name_and_a_way_that_is_not_there_are_errors_of_start) {
  const auto refused = [](const char* name) {
    try {
      (void)way_of(name);
    } catch (const Error& error) {
      return error.code() == Errc::start &&
             std::string(error.what()).find("memcpy") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused("memcopy"));
  for (const Candidate& each : candidates) EXPECT_EQ(refused(each.name), !each.is_there());
}

TEST(Ways, the_usual_one_is_there) {
  for (const bool past_cache : {false, true})
    EXPECT_TRUE(candidate(usual_way(past_cache)).is_there());
}

}  // namespace
}  // namespace armature::copies
