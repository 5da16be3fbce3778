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

TEST(StackTest, of_own_frames_in_a_row_the_outermost_is_left) {
  const auto frames = with_own_folded(
      named({"serve(armature::World&)", "armature::detail::FunctionEntry<x>::run(Call&)",
             "armature::rmi::Inbox::receive_all()", "void armature::wait::wait_until<f>(WaitFor&)",
             "armature::Team::barrier() const", "body<armature::World>(int)", "main"}),
      true);
  EXPECT_EQ(text(frames),
            "  #0  serve(armature::World&)\n  #1  armature::Team::barrier() const\n"
            "  #2  body<armature::World>(int)\n  #3  main\n");
}

TEST(StackTest, what_comes_first_is_left_where_it_may_be_our_fault) {
  const auto frames =
      named({"armature::space::bad_address()", "armature::space::Mapping::require()",
             "void armature::put<int>(armature::global_ptr<int>, int)", "main"});
  EXPECT_EQ(text(with_own_folded(frames, true)),
            "  #0  armature::space::bad_address()\n"
            "  #1  void armature::put<int>(armature::global_ptr<int>, int)\n  #2  main\n");
  EXPECT_EQ(text(with_own_folded(frames, false)),
            "  #0  void armature::put<int>(armature::global_ptr<int>, int)\n  #1  main\n");
}

TEST(StackTest, a_line_of_the_program_is_told_by_its_file) {
  const Frame mine{0x1000, "cook(int)", "kitchen/soup.cpp:7", false, "/data/kitchen"};
  EXPECT_TRUE(is_of_program(mine));
  const Frame library{0x1000, "require_room", "team/allocate.cpp:69", true,
                      "/opt/libarmature.so.0"};
  EXPECT_FALSE(is_of_program(library));
  const Frame system{0x1000, "clock_nanosleep", "linux/clock_nanosleep.c:71", false,
                     "/usr/lib/x86_64-linux-gnu/libc.so.6"};
  EXPECT_FALSE(is_of_program(system));
  const Frame inlined{0x1000, "void armature::put<int>()", "armature/put.hpp:36", true,
                      "/data/kitchen"};
  EXPECT_FALSE(is_of_program(inlined));
  const Frame of_shmem{0x1000, "shmem_long_atomic_add", "include/shmem_inlined.h:7", true,
                       "/data/kitchen"};
  EXPECT_FALSE(is_of_program(of_shmem));
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
