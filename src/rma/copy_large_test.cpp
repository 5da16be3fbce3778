#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "armature/detail/transfer.hpp"
#include "copies/trial.hpp"
#include "harness/copy_variable.hpp"
#include "harness/job.hpp"

namespace armature::detail {
namespace {

using harness::CopyVariable;
using space::CopyChoices;

constexpr std::size_t long_bytes = (std::size_t{64} << 20) + 24;

/// Bytes that every kind of copy is made of.
class Buffers {
 public:
  Buffers() : from_(long_bytes + 128), to_(long_bytes + 128) {
    for (std::size_t i = 0; i < from_.size(); ++i)
      from_[i] = static_cast<unsigned char>(i * 7 + i / 500);
  }
  /// Copies by the choice of that job, and says whether all bytes have come.
  [[nodiscard]] bool copy(std::size_t bytes, bool is_skewed) {
    unsigned char* const to = aligned(to_) + (is_skewed ? 8 : 0);
    const unsigned char* const from = aligned(from_);
    copy_large(to, from, bytes);
    const bool is_right = std::equal(from, from + bytes, to);
    std::fill_n(to, bytes, static_cast<unsigned char>(0));
    return is_right;
  }
  [[nodiscard]] bool copy_all_kinds() {
    bool is_right = true;
    for (const bool is_skewed : {false, true})
      for (const std::size_t bytes :
           {std::size_t{4096}, std::size_t{65'536}, std::size_t{1} << 20, long_bytes})
        is_right = copy(bytes, is_skewed) && is_right;
    return is_right;
  }

 private:
  static unsigned char* aligned(std::vector<unsigned char>& memory) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (copies::line_bytes - start % copies::line_bytes);
  }
  std::vector<unsigned char> from_, to_;
};

TEST(CopyLarge, copies_in_a_process_that_is_in_no_job) {
  Buffers buffers;
  EXPECT_TRUE(buffers.copy_all_kinds());
}

std::size_t chosen_in(const CopyChoices& choices) {
  return static_cast<std::size_t>(std::ranges::count_if(
      choices.way, [](const auto& way) { return way.load() >= CopyChoices::chosen; }));
}

TEST(CopyLarge, chooses_once_for_the_processes_of_a_node) {
  const CopyVariable says("trial");
  const harness::Job job(2);
  CopyChoices& choices = job.mapping().header().copies_by;
  choices.past_cache_min = long_bytes;  // whatever caches there are
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      Buffers buffers;
      _exit(buffers.copy_all_kinds() && buffers.copy_all_kinds() ? 0 : 1);
    }
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(chosen_in(choices), CopyChoices::kinds);
  EXPECT_EQ(choices.trials, CopyChoices::kinds);
  EXPECT_GT(choices.bytes_tried, 0U);
  EXPECT_LE(choices.bytes_tried, copies::bytes_tried_max);
  Buffers buffers;
  EXPECT_TRUE(buffers.copy_all_kinds());
  EXPECT_EQ(choices.trials, CopyChoices::kinds);
}

TEST(CopyLarge, chooses_once_for_threads_that_copy_at_the_same_time) {
  const CopyVariable says("trial");
  const harness::Job job(1);
  CopyChoices& choices = job.mapping().header().copies_by;
  choices.past_cache_min = long_bytes;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      Buffers buffers;
      right += buffers.copy_all_kinds() ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 3);
  EXPECT_EQ(choices.trials, CopyChoices::kinds);
}

TEST(CopyLarge, leaves_memory_copied_to_itself_as_it_is) {
  std::vector<std::uint8_t> memory(10'000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 131);
  const std::vector<std::uint8_t> before = memory;
  copy_large(memory.data(), memory.data(), memory.size());
  EXPECT_EQ(memory, before);
}

}  // namespace
}  // namespace armature::detail
