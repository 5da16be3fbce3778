#include "wait/implicit.hpp"

#include <array>
#include <utility>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "armature/run.hpp"
#include "wait/rank_context.hpp"
#include "wait/request.hpp"

namespace armature::wait {
namespace {

/// An operation that completes when it is told to.
struct Operation : armature::detail::Request {
  Operation() : Request{&Operation::look, &Operation::end} {}
  static bool look(Request& r) { return static_cast<Operation&>(r).is_complete; }
  static void end(Request& r) { ++static_cast<Operation&>(r).released; }

  bool is_complete = false;
  int released = 0;
};

/// A request that is over and has failed.
struct Failing : armature::detail::Request {
  Failing()
      : Request{[](Request&) { return true; }, [](Request&) {},
                [](Request&) { throw Error(Errc::rank_lost, "the test says so"); }} {}
};

/// Executes `call` while the rank waits, once, as one that came in.
template <class Call>
class Meanwhile final : public WorkSource {
 public:
  explicit Meanwhile(Call call) : call_(call), rank_(this_rank("test")) { rank_.add(*this); }
  ~Meanwhile() override { rank_.remove(*this); }
  void deliver() override {
    if (!std::exchange(has_come_, true)) call_();
  }
  bool has_work() override { return !has_come_; }

 private:
  Call call_;
  RankContext& rank_;
  bool has_come_ = false;
};

class ImplicitTest : public ::testing::Test {
 protected:
  ImplicitTest() { (void)init(); }
  Implicit implicit_;
};

TEST_F(ImplicitTest, a_call_that_comes_while_they_are_awaited_may_begin_others) {
  Operation outer, late;
  std::array<Operation, 1000> inner;
  implicit_.add(0, Handle(&outer));
  Meanwhile call([&] {
    for (Operation& one : inner) implicit_.add(0, Handle(&one));
    outer.is_complete = true;
  });
  implicit_.wait();  // for those that were begun before
  EXPECT_EQ(outer.released, 1);
  EXPECT_EQ(inner[0].released, 0);
  for (Operation& one : inner) one.is_complete = true;
  EXPECT_TRUE(implicit_.test(0));
  for (const Operation& one : inner) EXPECT_EQ(one.released, 1);
}

TEST_F(ImplicitTest, a_call_that_comes_while_they_are_awaited_may_await_all) {
  Operation outer, inner;
  implicit_.add(0, Handle(&outer));
  Meanwhile call([&] {
    implicit_.add(0, Handle(&inner));
    outer.is_complete = inner.is_complete = true;
    implicit_.wait();
    EXPECT_EQ(outer.released, 1);
    EXPECT_EQ(inner.released, 1);
  });
  implicit_.wait();
  EXPECT_EQ(outer.released, 1);
}

TEST_F(ImplicitTest, those_to_one_rank_are_awaited_alone) {
  Operation to_zero, to_one;
  implicit_.add(0, Handle(&to_zero));
  implicit_.add(1, Handle(&to_one));
  to_one.is_complete = true;
  implicit_.wait(1);
  EXPECT_EQ(to_one.released, 1);
  EXPECT_FALSE(implicit_.test(0));
  to_zero.is_complete = true;
  implicit_.wait();
  EXPECT_EQ(to_zero.released, 1);
}

TEST_F(ImplicitTest, a_failure_is_told_once_when_all_are_over) {
  Failing first, second;
  Operation late;
  implicit_.add(0, Handle(&first));
  implicit_.add(0, Handle(&second));
  implicit_.add(0, Handle(&late));
  EXPECT_FALSE(implicit_.test(0));
  Meanwhile call([&] { late.is_complete = true; });
  EXPECT_THROW(implicit_.wait(), Error);
  EXPECT_EQ(late.released, 1);
  EXPECT_NO_THROW(implicit_.wait());
}

TEST_F(ImplicitTest, who_makes_room_for_more_does_not_hear_of_failures) {
  std::array<Failing, 5000> to_zero;
  Operation to_one;
  for (Failing& one : to_zero) EXPECT_NO_THROW(implicit_.add(0, Handle(&one)));
  implicit_.add(1, Handle(&to_one));
  to_one.is_complete = true;
  EXPECT_NO_THROW(implicit_.wait(1));
  EXPECT_THROW((void)implicit_.test(0), Error);
  EXPECT_TRUE(implicit_.test(0));
}

}  // namespace
}  // namespace armature::wait
