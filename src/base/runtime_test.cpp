#include "base/runtime.hpp"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::base {
namespace {

/// Records what states do, in the order in which they do it.
struct Diary {
  std::vector<std::string> lines;
};
Diary* diary = nullptr;

struct First {
  ~First() { diary->lines.emplace_back("first is gone"); }
  int value = 1;
};
struct Second {
  Second() { Runtime::here().get<First>().value = 2; }
  ~Second() { diary->lines.emplace_back("second is gone"); }
};
struct InItsOwnPlace {
  static constexpr std::size_t runtime_place = 7;
  InItsOwnPlace() {
    if (refuses) throw std::runtime_error("not yet");
  }
  static inline bool refuses = true;
};
struct InTheSamePlace {
  static constexpr std::size_t runtime_place = 7;
};
struct Refusing {
  Refusing() {
    if (refuses) throw std::runtime_error("not yet");
  }
  static inline bool refuses = true;
};

TEST(Runtime, makes_a_state_when_it_is_first_asked_for) {
  Diary written;
  diary = &written;
  Runtime runtime;
  EXPECT_EQ(runtime.find<First>(), nullptr);
  First& first = runtime.get<First>();
  EXPECT_EQ(&runtime.get<First>(), &first);
  EXPECT_EQ(runtime.find<First>(), &first);
}

TEST(Runtime, finds_a_state_in_a_place_of_its_own_without_a_search) {
  Runtime runtime;
  EXPECT_EQ(runtime.find<InItsOwnPlace>(), nullptr);
  EXPECT_THROW((void)runtime.get<InItsOwnPlace>(), std::runtime_error);
  EXPECT_EQ(runtime.find<InItsOwnPlace>(), nullptr);
  InItsOwnPlace::refuses = false;
  InItsOwnPlace& made = runtime.get<InItsOwnPlace>();
  EXPECT_EQ(runtime.find<InItsOwnPlace>(), &made);
  EXPECT_EQ(&runtime.get<InItsOwnPlace>(), &made);
  EXPECT_DEATH((void)runtime.get<InTheSamePlace>(), "two states have the same place");
}

TEST(Runtime, destroys_first_what_was_made_last) {
  Diary written;
  diary = &written;
  {
    Runtime runtime;
    const UseRuntime used(runtime);
    (void)runtime.get<Second>();
    EXPECT_EQ(runtime.get<First>().value, 2);
    EXPECT_TRUE(written.lines.empty());
  }
  EXPECT_EQ(written.lines, (std::vector<std::string>{"second is gone", "first is gone"}));
}

TEST(Runtime, makes_a_state_again_whose_constructor_has_thrown) {
  Runtime runtime;
  EXPECT_THROW((void)runtime.get<Refusing>(), std::runtime_error);
  EXPECT_EQ(runtime.find<Refusing>(), nullptr);
  Refusing::refuses = false;
  EXPECT_NO_THROW((void)runtime.get<Refusing>());
}

TEST(Runtime, is_the_processs_on_threads_that_use_no_other) {
  Runtime& of_process = Runtime::here();
  Runtime other;
  const UseRuntime used(other);
  EXPECT_EQ(&Runtime::here(), &other);
  std::thread([&] { EXPECT_EQ(&Runtime::here(), &of_process); }).join();
  {
    const UseRuntime again(of_process);
    EXPECT_EQ(&Runtime::here(), &of_process);
  }
  EXPECT_EQ(&Runtime::here(), &other);
}

}  // namespace
}  // namespace armature::base
