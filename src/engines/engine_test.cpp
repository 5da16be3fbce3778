// Tests of what every engine must do, in every configuration of it. Two engines in this process
// speak over loopback.
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "engines/load.hpp"

namespace armature::transport {
namespace {

using Bytes = std::vector<std::byte>;

/// One process's end.
class End : public Sink {
 public:
  explicit End(const EngineOptions& options) : engine(load_engine(*this, options)) {}

  void received(std::span<const std::byte> head, std::span<const std::byte> body) override {
    Bytes whole(head.begin(), head.end());
    whole.insert(whole.end(), body.begin(), body.end());
    packets.push_back(std::move(whole));
    if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (on_packet) on_packet();
  }
  void sent(std::uint64_t token) override { tokens.push_back(token); }
  void lost(int peer, const char*) override { lost_peer = peer; }

  std::deque<Bytes> packets;
  std::vector<std::uint64_t> tokens;
  int lost_peer = -1;
  bool slow = false;
  std::function<void()> on_packet = nullptr;
  std::unique_ptr<Engine> engine;
};

Bytes patterned(std::size_t bytes, std::size_t seed) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + seed * 31 + 1);
  return data;
}

struct Configuration {
  const char* name;
  const char* engine;
  std::size_t segment;

  /// Writes the end of the test's name as ctest lists it.
  friend void PrintTo(const Configuration& of, std::ostream* out) { *out << of.name; }
};

class EngineTest : public testing::TestWithParam<Configuration> {
 protected:
  EngineTest() : a_(options()), b_(options()) {
    EXPECT_EQ(a_.engine->connect(0, b_.engine->address()), nullptr);
    EXPECT_EQ(b_.engine->connect(0, a_.engine->address()), nullptr);
  }
  static EngineOptions options() {
    return {.device = "lo",
            .device_alone = true,
            .interfaces = "",
            .name = GetParam().engine,
            .segment = GetParam().segment};
  }
  /// Progresses both until that holds; false after 20 s.
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      (void)a_.engine->progress();
      (void)b_.engine->progress();
      sched_yield();
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }

  End a_, b_;
};

TEST_P(EngineTest, packets_of_all_sizes_arrive_whole) {
  const std::vector<std::size_t> sizes = {1,     8,      100,        4096,    8192,
                                          16384, 65'536, 65'536 + 1, 300'000, 1 << 20};
  std::vector<Bytes> kept;
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < 3 * sizes.size(); ++i) {
    kept.push_back(patterned(sizes[i % sizes.size()], i));
    const std::span<const std::byte> all(kept.back());
    const std::size_t head = i % 3 == 0 ? 0 : std::min<std::size_t>(all.size(), 96);
    waiting += a_.engine->send(0, all.first(head), all.subspan(head), i) ? 0U : 1U;
  }
  ASSERT_TRUE(until([&] { return b_.packets.size() == kept.size(); }));
  // One that was cut in pieces may be overtaken: the links put them in order.
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(std::count(b_.packets.begin(), b_.packets.end(), kept[i]), 1) << i;
  EXPECT_TRUE(until([&] { return a_.tokens.size() == waiting; }));
}

TEST_P(EngineTest, a_body_in_many_parts_arrives_in_one) {
  const std::size_t parts_max = a_.engine->parts_max;
  ASSERT_GT(parts_max, 0U);
  const Bytes head = patterned(96, 1), source = patterned(std::size_t{1} << 20, 2);
  std::deque<std::vector<std::span<const std::byte>>> lists;  // which stay
  std::vector<Bytes> wanted;
  std::size_t waiting = 0;
  for (const std::size_t part_bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{4000}})
    for (const std::size_t parts : {std::size_t{1}, std::size_t{7}, parts_max}) {
      Bytes& whole = wanted.emplace_back(head);
      auto& list = lists.emplace_back();
      for (std::size_t i = 0; i < parts; ++i) {
        list.push_back(std::span(source).subspan((parts - i) * 4001, part_bytes + i % 2));
        whole.insert(whole.end(), list.back().begin(), list.back().end());
      }
      waiting += a_.engine->send_parts(0, head, list, lists.size()) ? 0U : 1U;
    }
  ASSERT_TRUE(until([&] { return b_.packets.size() == wanted.size(); }));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(std::count(b_.packets.begin(), b_.packets.end(), wanted[i]), 1) << i;
  EXPECT_TRUE(until([&] { return a_.tokens.size() == waiting; }));
}

TEST_P(EngineTest, both_may_send_at_once) {
  const Bytes mine = patterned(20'000, 1), theirs = patterned(20'000, 2);
  for (std::uint64_t i = 0; i < 50; ++i) {
    (void)a_.engine->send(0, {}, mine, i);
    (void)b_.engine->send(0, {}, theirs, i);
  }
  ASSERT_TRUE(until([&] { return a_.packets.size() == 50 && b_.packets.size() == 50; }));
  EXPECT_EQ(a_.packets.back(), theirs);
  EXPECT_EQ(b_.packets.back(), mine);
}

TEST_P(EngineTest, its_descriptor_says_when_there_is_something) {
  const Bytes first = patterned(8, 0), second = patterned(8, 1);  // the engine may keep looking
  (void)a_.engine->send(0, {}, first, 0);
  ASSERT_TRUE(until([&] { return b_.packets.size() == 1; }));
  while (!b_.engine->arm()) (void)b_.engine->progress();
  pollfd readable{b_.engine->descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&readable, 1, 0), 0);
  (void)a_.engine->send(0, {}, second, 1);
  (void)a_.engine->progress();
  EXPECT_EQ(poll(&readable, 1, 10'000), 1);
  EXPECT_TRUE(until([&] { return b_.packets.size() == 2; }));
}

TEST_P(EngineTest, progress_returns_though_a_peer_keeps_sending) {
  const Bytes piece = patterned(64 * 1024, 0);
  b_.slow = true;
  std::atomic<bool> enough = false, tired = false;
  std::thread sender([&] {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (std::size_t waiting = 0; !enough && !tired;) {
      if (waiting - a_.tokens.size() < 64) waiting += a_.engine->send(0, {}, piece, 0) ? 0U : 1U;
      (void)a_.engine->progress();
      tired = std::chrono::steady_clock::now() > deadline;
    }
  });
  while (b_.packets.empty()) (void)b_.engine->progress();
  (void)b_.engine->progress();
  enough = true;
  sender.join();
  EXPECT_FALSE(tired);
}

TEST_P(EngineTest, a_peer_that_is_gone_is_reported) {
  const Bytes word = patterned(8, 0);
  (void)a_.engine->send(0, {}, word, 0);
  ASSERT_TRUE(until([&] { return b_.packets.size() == 1; }));
  (void)b_.engine->send(0, {}, word, 0);
  ASSERT_TRUE(until([&] { return a_.packets.size() == 1; }));
  b_.engine.reset();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (a_.lost_peer < 0 && std::chrono::steady_clock::now() < deadline) {
    (void)a_.engine->send(0, {}, {}, 1);
    (void)a_.engine->progress();
  }
  EXPECT_EQ(a_.lost_peer, 0);
}

// Both are looked at together, and who is heard first is answered by words to the one that is gone.
TEST_P(EngineTest, a_peer_is_found_gone_while_another_one_is_heard) {
  const Bytes word = patterned(8, 0);
  End other(options());
  EXPECT_EQ(a_.engine->connect(1, other.engine->address()), nullptr);
  EXPECT_EQ(other.engine->connect(0, a_.engine->address()), nullptr);
  for (const int peer : {0, 1}) (void)a_.engine->send(peer, {}, word, 0);
  (void)other.engine->send(0, {}, word, 0);
  ASSERT_TRUE(until([&] {
    (void)other.engine->progress();
    return a_.packets.size() == 1 && b_.packets.size() == 1 && other.packets.size() == 1;
  }));
  (void)other.engine->send(0, {}, word, 0);
  (void)a_.engine->send(0, {}, word, 0);  // what is not read ends a connection at once
  b_.engine.reset();
  a_.on_packet = [&] {
    for (int i = 0; i < 4; ++i) (void)a_.engine->send(0, {}, word, 0);
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while ((a_.lost_peer < 0 || a_.packets.size() < 2) && std::chrono::steady_clock::now() < deadline)
    (void)a_.engine->progress();
  EXPECT_EQ(a_.lost_peer, 0);
  EXPECT_EQ(a_.packets.size(), 2u);
}

// Records of a peer are answered when the peer is gone already.
TEST_P(EngineTest, a_peer_is_found_gone_while_its_last_records_are_heard) {
  const Bytes word = patterned(8, 0);
  (void)a_.engine->send(0, {}, word, 0);
  (void)b_.engine->send(0, {}, word, 0);
  ASSERT_TRUE(until([&] { return a_.packets.size() == 1 && b_.packets.size() == 1; }));
  for (int i = 0; i < 100; ++i) (void)b_.engine->send(0, {}, patterned(3000, 1), 0);
  (void)a_.engine->send(0, {}, word, 0);  // what is not read ends a connection at once
  b_.engine.reset();
  a_.on_packet = [&] {
    for (int i = 0; i < 4; ++i) (void)a_.engine->send(0, {}, word, 0);
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (a_.lost_peer < 0 && std::chrono::steady_clock::now() < deadline)
    (void)a_.engine->progress();
  EXPECT_EQ(a_.lost_peer, 0);
  EXPECT_GT(a_.packets.size(), 1u);
}

TEST_P(EngineTest, what_was_lent_for_a_peer_that_is_given_up_is_let_go) {
  const Bytes block = patterned(1 << 20, 0);
  std::size_t waiting = 0;
  for (std::uint64_t i = 0; i < 64; ++i) waiting += a_.engine->send(0, {}, block, i) ? 0U : 1U;
  ASSERT_GT(waiting, a_.tokens.size());  // the other end reads nothing
  a_.engine->drop(0);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (a_.tokens.size() < waiting && std::chrono::steady_clock::now() < deadline)
    (void)a_.engine->progress();
  EXPECT_EQ(a_.tokens.size(), waiting);
  EXPECT_TRUE(a_.engine->send(0, {}, block, 99));
  EXPECT_EQ(a_.lost_peer, -1);
}

/// The engine over libfabric does what libfabric does not.
class OfiEngineTest : public EngineTest {
 protected:
  /// Whether a packet arrives whose engine has ended since it was sent. A machine that is busy may
  /// not let it.
  static bool last_packet_arrives() {
    End from(options()), to(options());
    (void)from.engine->connect(0, to.engine->address());
    std::atomic<bool> has_ended = false;
    std::thread reader([&] {
      auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (to.packets.empty() && std::chrono::steady_clock::now() < until) {
        (void)to.engine->progress();
        if (has_ended.exchange(false))
          until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      }
    });
    const Bytes last = patterned(200'000, 1);  // not put into the connection at once
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    if (!from.engine->send(0, {}, last, 0))
      while (from.tokens.empty() && std::chrono::steady_clock::now() < deadline)
        (void)from.engine->progress();
    from.engine.reset();
    has_ended = true;
    reader.join();
    return to.packets.size() == 1;
  }
};

TEST_P(OfiEngineTest, what_was_sent_leaves_though_the_engine_ends) {
  bool has_come = false;
  for (int i = 0; i < 5 && !has_come; ++i) has_come = last_packet_arrives();
  EXPECT_TRUE(has_come);
}

// The other one sends again as soon as it is heard, so that there is always something else to do.
TEST_P(OfiEngineTest, a_peer_is_found_gone_though_another_one_is_always_heard) {
  const Bytes word = patterned(8, 0);
  End other(options());
  EXPECT_EQ(other.engine->connect(0, a_.engine->address()), nullptr);
  for (int i = 0; i < 8; ++i) (void)other.engine->send(0, {}, word, 0);
  ASSERT_TRUE(until([&] {
    (void)other.engine->progress();
    return a_.packets.size() == 8;
  }));
  a_.on_packet = [&] {
    a_.packets.clear();
    (void)other.engine->progress();
    (void)other.engine->send(0, {}, word, 0);
  };
  for (int i = 0; i < 8; ++i) (void)other.engine->send(0, {}, word, 0);
  b_.engine.reset();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (a_.lost_peer < 0 && std::chrono::steady_clock::now() < deadline)
    (void)a_.engine->progress();
  EXPECT_EQ(a_.lost_peer, 0);
}

// More buffers are used at once than are kept.
TEST_P(OfiEngineTest, packets_to_many_peers_at_once_arrive_whole) {
  const Bytes large = patterned(200'000, 1), small = patterned(100, 2);
  std::deque<End> others;
  for (int peer = 1; peer <= 6; ++peer)
    EXPECT_EQ(a_.engine->connect(peer, others.emplace_back(options()).engine->address()), nullptr);
  for (std::size_t round = 1; round <= 2; ++round) {
    for (std::uint64_t i = 0; i < 16; ++i)
      for (int peer = 1; peer <= 6; ++peer)
        (void)a_.engine->send(peer, {}, i % 4 == 3 ? small : large, i);
    EXPECT_TRUE(until([&] {
      for (End& other : others) (void)other.engine->progress();
      return std::ranges::all_of(others, [&](End& o) { return o.packets.size() == 16 * round; });
    }));
  }
  for (const End& other : others) {
    EXPECT_EQ(std::ranges::count(other.packets, large), 24);
    EXPECT_EQ(std::ranges::count(other.packets, small), 8);
  }
}

TEST_P(EngineTest, says_what_it_is) {
  EXPECT_NE(std::string(a_.engine->description()).find("lo"), std::string::npos);
  EXPECT_FALSE(a_.engine->address().empty());
}

INSTANTIATE_TEST_SUITE_P(Ucx, EngineTest,
                         testing::Values(Configuration{"default", "ucx", 0},
                                         Configuration{"tiny_segments", "ucx", 1024},
                                         Configuration{"large_segments", "ucx", 256 * 1024}),
                         [](const auto& of) { return std::string(of.param.name); });
INSTANTIATE_TEST_SUITE_P(Ofi, EngineTest,
                         testing::Values(Configuration{"default", "ofi", 0},
                                         Configuration{"tiny_segments", "ofi", 1024}),
                         [](const auto& of) { return std::string(of.param.name); });

INSTANTIATE_TEST_SUITE_P(Ofi, OfiEngineTest, testing::Values(Configuration{"default", "ofi", 0}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(Engine, an_interface_that_is_not_there_is_an_error_that_names_it) {
  try {
    End end({.device = "nosuch0", .interfaces = "", .segment = 0});
    ADD_FAILURE() << "it opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::start);
    EXPECT_NE(std::string(error.what()).find("nosuch0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace armature::transport
