#include "command/executable/stack.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::command {
namespace {

using ::testing::HasSubstr;

std::vector<Frame> named(std::initializer_list<const char*> functions) {
  std::vector<Frame> frames;
  for (const char* function : functions) frames.push_back({0x1000, function, "", false});
  return frames;
}

TEST(StackTest, a_signal_handler_and_what_called_main_are_left_out) {
  const auto frames =
      without_machinery(named({"armature::bootstrap::on_signal(int)", signal_return, "touch(int*)",
                               "armature::run<...>(int, char**)", "main", "_start"}));
  EXPECT_EQ(text(frames), "  #0  touch(int*)\n  #1  main\n");
}

TEST(StackTest, a_thread_that_runs_a_rank_ends_with_the_body) {
  const auto frames = without_machinery(
      named({signal_return, "touch(int*)", "armature::hosting::perform(armature::HostedRank&)",
             "armature::hosting::live(void*)", "start_thread", "__clone3"}));
  EXPECT_EQ(text(frames), "  #0  touch(int*)\n");
}

constexpr const char* calling =
    "armature::run<main::{lambda(armature::World&)#1}>(int, char**, main::{lambda(armature::World&)"
    "#1}&&)::{lambda(void*, armature::World&)#2}::_FUN(void*, armature::World&)";

TEST(StackTest, the_body_is_shown_where_it_is_the_last_trace_of_the_program) {
  EXPECT_EQ(text(without_machinery(
                named({signal_return, calling, "armature::detail::run(int)", "main"}))),
            "  #0  the body of armature::run\n  #1  main\n");
  EXPECT_EQ(text(without_machinery(
                named({"abort", "armature::Team::barrier() const", calling,
                       "armature::fibers::RankScheduler::begin(transfer_t)", "make_fcontext"}))),
            "  #0  armature::Team::barrier() const\n  #1  the body of armature::run\n");
}

TEST(StackTest, how_a_body_is_called_is_left_out) {
  EXPECT_EQ(text(without_machinery(named(
                {signal_return, "main::{lambda(armature::World&)#1}::operator()(armature::World&)",
                 calling, "std::function<void (int)>::operator()(int) const", "run::operator()",
                 "make_fcontext"}))),
            "  #0  main::{lambda(armature::World&)#1}::operator()(armature::World&)\n");
}

TEST(StackTest, an_exception_begins_where_it_was_thrown) {
  const auto frames =
      without_machinery(named({"armature::bootstrap::on_terminate()", "", "std::terminate()",
                               "__cxa_throw", "pour()", "main"}));
  EXPECT_EQ(text(frames), "  #0  pour()\n  #1  main\n");
}

TEST(StackTest, a_recursion_takes_one_line) {
  const auto frames = named({"leaf()", "fall()", "fall()", "fall()", "main"});
  EXPECT_THAT(text(frames), HasSubstr("  #1  fall() (3 times)\n  #4  main\n"));
}

TEST(StackTest, long_names_lose_their_template_arguments) {
  const std::string arguments(200, 'x');
  const auto frames = named({("f<" + arguments + ">(g<a, b->c>)").c_str(), "operator<<(int)"});
  EXPECT_THAT(text(frames), HasSubstr("#0  f<...>(g<...>)\n"));
}

TEST(StackTest, the_own_process_can_be_named) {
  std::array<void*, 4> raw{};
  const int count = backtrace(raw.data(), static_cast<int>(raw.size()));
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < count; ++i)
    addresses.push_back(reinterpret_cast<std::uint64_t>(raw[static_cast<std::size_t>(i)]));
  const auto frames = symbolise(getpid(), addresses, 10'000);
  EXPECT_THAT(text(frames), HasSubstr("the_own_process_can_be_named"));
}

}  // namespace
}  // namespace armature::command
