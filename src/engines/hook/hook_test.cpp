// The hook around an engine that hands every packet back to its sender.
#include "engines/hook/hook.hpp"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::transport {
namespace {

class Echo final : public Engine {
 public:
  explicit Echo(Sink& sink) : sink_(sink) {}
  [[nodiscard]] const char* description() const override { return "echo"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int, std::span<const std::byte>) override { return nullptr; }
  [[nodiscard]] bool send(int, std::span<const std::byte> head, std::span<const std::byte>,
                          std::uint64_t) override {
    packets_.emplace_back(head.begin(), head.end());
    return true;
  }
  void drop(int) override {}
  bool progress() override {
    const bool any = !packets_.empty();
    for (; !packets_.empty(); packets_.pop_front()) sink_.received(packets_.front(), {});
    return any;
  }
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] bool arm() override { return packets_.empty(); }

 private:
  Sink& sink_;
  std::deque<std::vector<std::byte>> packets_;
};

struct Seen : Sink {
  void received(std::span<const std::byte> head, std::span<const std::byte>) override {
    int number = 0;
    std::memcpy(&number, head.data(), sizeof number);
    packets.push_back(number);
  }
  void sent(std::uint64_t token) override { tokens.push_back(token); }
  void lost(int peer, const char*) override { lost_peer = peer; }

  std::vector<int> packets;
  std::vector<std::uint64_t> tokens;
  int lost_peer = -1;
};

Hook hooked(Seen& seen, const std::string& words) {
  return {seen, HookOptions::parse(words), [](Sink& sink) { return std::make_unique<Echo>(sink); }};
}

std::span<const std::byte> packet(const int& number) {
  return std::as_bytes(std::span(&number, 1));
}

TEST(Hook, counts_what_passes) {
  Seen seen;
  Hook hook = hooked(seen, "");
  const int number = 7;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(hook.send(5, packet(number), {}, 0));
  EXPECT_TRUE(hook.progress());
  EXPECT_EQ(seen.packets, (std::vector<int>{7, 7, 7}));
  EXPECT_EQ(hook.sent_to(5).packets, 3U);
  EXPECT_EQ(hook.sent_to(5).bytes, 3 * sizeof number);
  EXPECT_EQ(hook.sent_to(6).packets, 0U);
  EXPECT_EQ(hook.came().packets, 3U);
}

TEST(Hook, a_delayed_packet_comes_late_in_order_and_its_memory_is_free_then) {
  Seen seen;
  Hook hook = hooked(seen, "delay=2000");
  const int numbers[] = {0, 1, 2};
  const auto begun = std::chrono::steady_clock::now();
  for (const int& number : numbers) EXPECT_FALSE(hook.send(0, packet(number), {}, 10));
  while (seen.packets.size() < 3 &&
         std::chrono::steady_clock::now() - begun < std::chrono::seconds(20)) {
    ASSERT_TRUE(hook.arm());
    pollfd ready{hook.descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&ready, 1, 20'000), 1);
    hook.progress();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(2));
  EXPECT_EQ(seen.packets, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(seen.tokens.size(), 3U);
}

TEST(Hook, a_seed_puts_packets_in_another_order) {
  Seen seen;
  Hook hook = hooked(seen, "delay=3000,reorder=3");
  std::vector<int> numbers(50);
  for (int i = 0; i < 50; ++i) numbers[static_cast<std::size_t>(i)] = i;
  for (const int& number : numbers) (void)hook.send(0, packet(number), {}, 0);
  const auto begun = std::chrono::steady_clock::now();
  while (seen.packets.size() < 50 &&
         std::chrono::steady_clock::now() - begun < std::chrono::seconds(20))
    hook.progress();
  EXPECT_NE(seen.packets, numbers);
  EXPECT_TRUE(std::is_permutation(seen.packets.begin(), seen.packets.end(), numbers.begin()));
}

TEST(Hook, a_peer_is_lost_after_so_many_packets) {
  Seen seen;
  Hook hook = hooked(seen, "lose=1@2");
  const int number = 0;
  for (int i = 0; i < 5; ++i) {
    (void)hook.send(1, packet(number), {}, 0);
    (void)hook.send(2, packet(number), {}, 0);
    EXPECT_EQ(seen.lost_peer, i < 2 ? -1 : 1);
  }
  EXPECT_EQ(hook.sent_to(1).packets, 2U);
  EXPECT_EQ(hook.sent_to(2).packets, 5U);
}

TEST(Hook, forged_packets_come_besides_and_every_real_one_does) {
  Seen seen;
  Hook hook = hooked(seen, "forge=3");
  std::vector<int> numbers(100);
  for (int i = 0; i < 100; ++i) {
    numbers[static_cast<std::size_t>(i)] = 0x0101'0101 * i;
    EXPECT_TRUE(hook.send(0, packet(numbers[static_cast<std::size_t>(i)]), {}, 0));
    hook.progress();
  }
  EXPECT_GT(seen.packets.size(), 110U);
  EXPECT_TRUE(seen.tokens.empty());
  std::vector<int> left = numbers;
  for (const int number : seen.packets)
    if (!left.empty() && number == left.front()) left.erase(left.begin());
  EXPECT_TRUE(left.empty()) << left.size() << " are not there, or not in order";
  const auto is_changed = [&](int number) {
    return std::find(numbers.begin(), numbers.end(), number) == numbers.end();
  };
  EXPECT_TRUE(std::any_of(seen.packets.begin(), seen.packets.end(), is_changed));
}

TEST(Hook, a_connection_can_be_refused) {
  Seen seen;
  Hook hook = hooked(seen, "refuse=3");
  EXPECT_EQ(hook.connect(2, {}), nullptr);
  EXPECT_NE(hook.connect(3, {}), nullptr);
}

TEST(Hook, writes_a_line_for_every_packet) {
  std::string folder = testing::TempDir() + "/armature-hook-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/trace";
  {
    Seen seen;
    Hook hook = hooked(seen, "trace=" + file);
    const int number = 0;
    (void)hook.send(4, packet(number), {}, 0);
    hook.progress();
  }
  std::ifstream lines(file + "." + std::to_string(getpid()));
  std::string ns, what, peer, bytes;
  lines >> ns >> what >> peer >> bytes;
  EXPECT_EQ(what + " " + peer + " " + bytes, "sent 4 4");
  lines >> ns >> what >> peer >> bytes;
  EXPECT_EQ(what, "came");
  std::filesystem::remove_all(folder);
}

TEST(Hook, words_that_it_does_not_know_are_an_error_that_names_them) {
  for (const char* words : {"count,dely=3", "delay=x", "lose=1", "refuse=-1", "trace="}) {
    try {
      (void)HookOptions::parse(words);
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("is none of"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace armature::transport
