#include "armature/handle.hpp"

#include <array>
#include <utility>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "armature/run.hpp"
#include "wait/request.hpp"

namespace armature {
namespace {

/// An operation that completes after it was looked at a few times, as one of a network would.
struct Slow : detail::Request {
  explicit Slow(int looks) : detail::Request{&Slow::look, &Slow::end}, looks_left(looks) {}
  static bool look(detail::Request& r) { return --static_cast<Slow&>(r).looks_left <= 0; }
  static void end(detail::Request& r) { ++static_cast<Slow&>(r).released; }

  int looks_left;
  int released = 0;
};

class HandleTest : public ::testing::Test {
 protected:
  HandleTest() { (void)init(); }
};

TEST_F(HandleTest, an_empty_handle_is_complete) {
  Handle handle;
  EXPECT_TRUE(handle.test());
  handle.wait();
}

TEST_F(HandleTest, wait_returns_when_the_operation_is_complete_and_releases_it_once) {
  Slow slow(1000);
  Handle handle(&slow);
  handle.wait();
  EXPECT_LE(slow.looks_left, 0);
  EXPECT_EQ(slow.released, 1);
  EXPECT_TRUE(handle.test());
  EXPECT_EQ(slow.released, 1);
}

TEST_F(HandleTest, test_says_when) {
  Slow slow(3);
  Handle handle(&slow);
  EXPECT_FALSE(handle.test());
  EXPECT_FALSE(handle.test());
  EXPECT_TRUE(handle.test());
}

TEST_F(HandleTest, moving_hands_the_operation_over_and_overwriting_waits_for_it) {
  Slow first(5), second(5);
  Handle a(&first);
  Handle b = std::move(a);
  EXPECT_TRUE(a.test());  // NOLINT(bugprone-use-after-move)
  b = Handle(&second);
  EXPECT_EQ(first.released, 1);
  b.wait();
  EXPECT_EQ(second.released, 1);
}

TEST_F(HandleTest, the_destructor_waits) {
  Slow slow(50);
  { Handle handle(&slow); }
  EXPECT_EQ(slow.released, 1);
}

TEST_F(HandleTest, wait_any_finds_the_first_to_complete) {
  Slow late(100000000), soon(20);
  std::array<Handle, 2> handles{Handle(&late), Handle(&soon)};
  EXPECT_EQ(wait_any(handles), 1u);
  EXPECT_EQ(soon.released, 1);
  EXPECT_FALSE(test_all(handles));
  late.looks_left = 1;
  wait_all(handles);
  EXPECT_EQ(late.released, 1);
}

TEST_F(HandleTest, any_of_none_is_an_error_not_a_hang) {
  EXPECT_THROW((void)wait_any({}), Error);
  EXPECT_EQ(test_any({}), 0u);
}

}  // namespace
}  // namespace armature
