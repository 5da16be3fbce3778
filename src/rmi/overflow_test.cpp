#include "rmi/overflow.hpp"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

namespace armature::rmi {
namespace {

void put(Overflow& overflow, std::uint32_t number, std::size_t bytes) {
  std::byte* at = overflow.room(bytes);
  ASSERT_LE(at + bytes, overflow.room_end());
  std::memcpy(at, &number, sizeof number);
  overflow.add(bytes);
}
std::uint32_t front(const Overflow& overflow) {
  std::uint32_t number = 0;
  std::memcpy(&number, overflow.front(), sizeof number);
  return number;
}

TEST(Overflow, is_empty_until_room_was_asked_for_and_after_all_was_taken_out) {
  Overflow overflow;
  EXPECT_TRUE(overflow.empty());
  put(overflow, 1, 32);
  EXPECT_FALSE(overflow.empty());
  EXPECT_EQ(overflow.bytes(), 32U);
  overflow.pop(32);
  EXPECT_TRUE(overflow.empty());
  EXPECT_EQ(overflow.bytes(), 0U);
}

TEST(Overflow, gives_back_in_order_what_was_put_in) {
  Overflow overflow;
  std::mt19937 random(7);
  std::deque<std::size_t> lengths;
  std::uint32_t in = 0, out = 0;
  for (int step = 0; step < 20000; ++step) {
    if (lengths.empty() || random() % 5 < 3) {
      lengths.push_back(16 * (1 + random() % 512));
      put(overflow, in++, lengths.back());
    } else {
      ASSERT_EQ(front(overflow), out++);
      ASSERT_GE(overflow.front_bytes(), lengths.front());
      overflow.pop(lengths.front());
      lengths.pop_front();
    }
  }
  for (; !lengths.empty(); lengths.pop_front()) {
    ASSERT_EQ(front(overflow), out++);
    overflow.pop(lengths.front());
  }
  EXPECT_TRUE(overflow.empty());
}

TEST(Overflow, room_that_was_not_used_is_no_request) {
  Overflow overflow;
  (void)overflow.room(64);  // its request could not be written
  put(overflow, 5, Overflow::chunk_bytes);
  EXPECT_EQ(front(overflow), 5U);
  (void)overflow.room(16);
  put(overflow, 6, 8192);
  overflow.pop(Overflow::chunk_bytes);
  EXPECT_EQ(front(overflow), 6U);
  overflow.clear();
  EXPECT_TRUE(overflow.empty());
  EXPECT_EQ(overflow.bytes(), 0U);
}

}  // namespace
}  // namespace armature::rmi
