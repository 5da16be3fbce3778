#include "engines/hook/card.hpp"

#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::transport {
namespace {

using Bytes = std::vector<std::byte>;

/// An engine that never has anything: packets are not what is tested.
class NoPackets final : public Engine {
 public:
  [[nodiscard]] const char* description() const override { return "none"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int, std::span<const std::byte>) override { return nullptr; }
  [[nodiscard]] bool send(int, std::span<const std::byte>, std::span<const std::byte>,
                          std::uint64_t) override {
    return true;
  }
  void drop(int) override {}
  bool progress() override { return false; }
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] bool arm() override { return true; }
};

class Tokens final : public Sink {
 public:
  void received(std::span<const std::byte>, std::span<const std::byte>) override {}
  void sent(std::uint64_t token) override { all.push_back(token); }
  void lost(int, const char*) override {}
  std::vector<std::uint64_t> all;
};

/// A process that lets its card reach memory, and one that reaches it; both are this one.
class CardTest : public testing::Test {
 protected:
  CardTest() {
    file_ = memfd_create("of a card's test", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(file_, bytes), 0);
    memory_ =
        static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
    // Protection cuts the mapping.
    EXPECT_EQ(mprotect(memory_ + bytes / 2, 4096, PROT_READ), 0);
    key_ = own_.unpack_rkey(0, target_.register_memory({memory_, bytes}));
  }
  ~CardTest() override {
    munmap(memory_, bytes);
    close(file_);
  }
  /// Until so many have been told.
  void await(std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (told_.all.size() < count && std::chrono::steady_clock::now() < deadline) {
      if (own_.arm()) std::this_thread::yield();
      (void)own_.progress();
    }
    ASSERT_EQ(told_.all.size(), count);
  }
  void put(const std::byte* there, std::span<const std::byte> from, std::uint64_t token) {
    const Engine::Run run{at(there), const_cast<std::byte*>(from.data()), from.size()};
    EXPECT_TRUE(own_.put(0, key_, {&run, 1}, token));
  }
  void get(const std::byte* there, std::span<std::byte> to, std::uint64_t token) {
    const Engine::Run run{at(there), to.data(), to.size()};
    EXPECT_TRUE(own_.get(0, key_, {&run, 1}, token));
  }
  [[nodiscard]] static std::uint64_t at(const std::byte* place) {
    return reinterpret_cast<std::uint64_t>(place);
  }

  static constexpr std::size_t bytes = std::size_t{1} << 20;
  int file_ = -1;
  std::byte* memory_ = nullptr;
  Tokens others_, told_;
  Card target_{others_, {.seed = 1}, std::make_unique<NoPackets>()};
  Card own_{told_, {.seed = 2}, std::make_unique<NoPackets>()};
  void* key_ = nullptr;
};

TEST_F(CardTest, what_is_put_is_there_when_that_is_told_and_comes_back) {
  ASSERT_NE(key_, nullptr);
  Bytes data(200'001), got(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 5 + 1);
  put(memory_ + 3, data, 7);
  await(1);
  EXPECT_TRUE(std::ranges::equal(data, std::span(memory_ + 3, data.size())));
  get(memory_ + 3, got, 8);
  await(2);
  EXPECT_EQ(got, data);
  EXPECT_EQ(told_.all, (std::vector<std::uint64_t>{7, 8}));
}

TEST_F(CardTest, all_are_told_once_and_not_in_their_order) {
  ASSERT_NE(key_, nullptr);
  constexpr std::size_t count = 500;
  std::vector<std::uint64_t> values(count), order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < count; ++i)
    put(memory_ + i * 8, std::as_bytes(std::span(order).subspan(i, 1)), i);
  await(count);
  EXPECT_NE(told_.all, order);
  std::ranges::sort(told_.all);
  EXPECT_EQ(told_.all, order);
  std::memcpy(values.data(), memory_, count * 8);
  EXPECT_EQ(values, order);
}

/// A card takes any of the first eight. Behind those that it tells late others come much earlier.
TEST_F(CardTest, a_prompt_card_tells_in_the_order_in_which_it_does) {
  Tokens told;
  Card prompt(told, {.seed = 1, .is_prompt = true}, std::make_unique<NoPackets>());
  void* const key = prompt.unpack_rkey(0, target_.register_memory({memory_, bytes}));
  ASSERT_NE(key, nullptr);
  std::byte byte{7};
  const Engine::Run run{at(memory_), &byte, 1};
  constexpr std::size_t count = 500;
  for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(prompt.put(0, key, {&run, 1}, i));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (told.all.size() < count && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
    (void)prompt.progress();
  }
  ASSERT_EQ(told.all.size(), count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_LT(told.all[i], i + 8);
  EXPECT_EQ(memory_[0], byte);
}

TEST_F(CardTest, each_of_several_runs_is_told) {
  ASSERT_NE(key_, nullptr);
  constexpr std::size_t rows = 10, row_bytes = 3000;
  Bytes data(rows * row_bytes), got(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 5 + 1);
  std::vector<Engine::Run> from, back;
  for (std::size_t row = 0; row < rows; ++row) {
    from.push_back({at(memory_ + row * 2 * row_bytes), data.data() + row * row_bytes, row_bytes});
    back.push_back({from[row].there, got.data() + row * row_bytes, row_bytes});
  }
  EXPECT_TRUE(own_.put(0, key_, from, 7));
  await(rows);
  EXPECT_TRUE(own_.get(0, key_, back, 8));
  await(2 * rows);
  EXPECT_EQ(got, data);
  EXPECT_EQ(std::ranges::count(told_.all, 8), std::ptrdiff_t{rows});
}

TEST_F(CardTest, atomics_are_some_for_the_processor_too) {
  ASSERT_NE(key_, nullptr);
  constexpr std::uint64_t count = 20'000;
  std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(memory_));
  word = 0;
  std::vector<std::uint64_t> found(count);
  std::thread processor([&] {
    for (std::uint64_t i = 0; i < count; ++i) word.fetch_add(1);
  });
  for (std::uint64_t i = 0; i < count; ++i)
    own_.atomic(0, key_, at(memory_), {.code = WordAtomic::Code::fetch_add, .operand = 1}, found[i],
                i);
  processor.join();
  await(count);
  EXPECT_EQ(word.load(), 2 * count);
  std::ranges::sort(found);
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
}

TEST_F(CardTest, each_atomic_does_what_its_name_says) {
  ASSERT_NE(key_, nullptr);
  using Code = WordAtomic::Code;
  std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(memory_));
  word = 12;
  const struct {
    WordAtomic what;
    std::uint64_t after;
  } steps[] = {{{Code::fetch_add, 3}, 15},      {{Code::fetch_and, 6}, 6},
               {{Code::fetch_or, 9}, 15},       {{Code::fetch_xor, 5}, 10},
               {{Code::swap, 70}, 70},          {{Code::compare_swap, 1, 71}, 70},
               {{Code::compare_swap, 1, 70}, 1}};
  std::uint64_t before = 12, found = 0;
  std::size_t done = 0;
  for (const auto& step : steps) {
    own_.atomic(0, key_, at(memory_), step.what, found, 0);
    await(++done);
    EXPECT_EQ(found, before);
    EXPECT_EQ(word.load(), step.after);
    before = step.after;
  }
}

TEST_F(CardTest, memory_of_no_file_has_no_key) {
  Bytes own(4096);
  EXPECT_TRUE(target_.register_memory(own).empty());
  EXPECT_EQ(own_.unpack_rkey(0, {}), nullptr);
  EXPECT_EQ(own_.unpack_rkey(0, own), nullptr);
}

using CardDeathTest = CardTest;

TEST_F(CardDeathTest, a_key_that_has_ended_and_bytes_outside_are_noticed) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  ASSERT_NE(key_, nullptr);
  std::uint64_t word = 0;
  const auto into = std::as_writable_bytes(std::span(&word, 1));
  const auto get = [&](const std::byte* place) {
    CardTest::get(place, into, 1);
    await(1);
  };
  EXPECT_DEATH(get(memory_ + bytes - 4), "not all in the memory that was registered");
  EXPECT_DEATH(get(memory_ - 8), "not all in the memory that was registered");
  EXPECT_DEATH(
      {
        target_.forget_memory();
        get(memory_);
      },
      "key is not valid any more");
}

TEST_F(CardTest, a_key_of_before_is_not_taken_and_a_new_one_is) {
  const Bytes before = target_.register_memory({memory_, bytes});
  target_.forget_memory();
  own_.forget_memory();
  const Bytes now = target_.register_memory({memory_, bytes});
  EXPECT_EQ(own_.unpack_rkey(0, before), nullptr);
  key_ = own_.unpack_rkey(0, now);
  ASSERT_NE(key_, nullptr);
  const Bytes data(16, std::byte{9});
  put(memory_, data, 1);
  await(1);
  EXPECT_EQ(memory_[15], std::byte{9});
}

std::set<pid_t> threads_of_this_process() {
  std::set<pid_t> found;
  DIR* const folder = opendir("/proc/self/task");
  while (const dirent* const entry = readdir(folder))
    if (const int number = std::atoi(entry->d_name); number != 0) found.insert(number);
  closedir(folder);
  return found;
}

TEST(CardThread, a_card_takes_no_core_from_the_thread_that_begins_operations) {
  cpu_set_t before, own, launcher, of_card;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  ASSERT_EQ(sched_getaffinity(getppid(), sizeof launcher, &launcher), 0);
  CPU_ZERO(&own);
  CPU_SET(sched_getcpu(), &own);
  ASSERT_EQ(sched_setaffinity(0, sizeof own, &own), 0);
  CPU_CLR(sched_getcpu(), &launcher);
  const cpu_set_t wanted = CPU_COUNT(&launcher) > 0 ? launcher : own;
  const std::set<pid_t> others = threads_of_this_process();
  const CardThread card(1, false, false);
  pid_t thread = 0;
  for (const pid_t one : threads_of_this_process())
    if (!others.contains(one)) thread = one;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {
    std::this_thread::yield();
    ASSERT_EQ(sched_getaffinity(thread, sizeof of_card, &of_card), 0);
  } while (!CPU_EQUAL(&of_card, &wanted) && std::chrono::steady_clock::now() < deadline);
  EXPECT_TRUE(CPU_EQUAL(&of_card, &wanted));
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace armature::transport
