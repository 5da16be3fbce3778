#include "message/cursor.hpp"

#include <array>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace armature::message {
namespace {

iovec piece(std::string& text) { return {text.data(), text.size()}; }

TEST(Cursor, copies_between_pieces_that_are_cut_differently) {
  std::string a = "one ", b, c = "two three";
  const std::array from{piece(a), piece(b), piece(c)};
  std::string x(1, '.'), y(7, '.'), z(9, '.');
  const std::array to{piece(x), piece(y), piece(z)};
  Cursor source(from), target(to);
  EXPECT_EQ(source.left(), 13u);
  EXPECT_EQ(copy(target, source), 13u);
  EXPECT_EQ(x + y + z, "one two three....");
  EXPECT_EQ(source.left(), 0u);
  EXPECT_EQ(target.left(), 4u);
}

TEST(Cursor, copies_no_more_than_there_is_room_for) {
  std::string a = "long text";
  const std::array from{piece(a)};
  std::string x(4, '.');
  const std::array to{piece(x)};
  Cursor source(from), target(to);
  EXPECT_EQ(copy(target, source), 4u);
  EXPECT_EQ(x, "long");
  EXPECT_EQ(source.left(), 5u);
}

TEST(Cursor, of_nothing_is_at_its_end) {
  Cursor cursor;
  EXPECT_TRUE(cursor.here().empty());
  EXPECT_EQ(cursor.left(), 0u);
  std::string empty;
  const std::array pieces{piece(empty), piece(empty)};
  EXPECT_TRUE(Cursor(pieces).here().empty());
}

}  // namespace
}  // namespace armature::message
