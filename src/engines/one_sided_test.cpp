// Tests of what the one-sided operations of every engine must do. Two engines in this process speak
// over loopback.
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engines/load.hpp"

namespace armature::transport {
namespace {

using Memory = std::vector<std::byte>;

/// One process's end.
class OneSidedEnd : public Sink {
 public:
  explicit OneSidedEnd(const EngineOptions& options) : engine(load_engine(*this, options)) {}
  void received(std::span<const std::byte>, std::span<const std::byte>) override { ++packets; }
  void sent(std::uint64_t token) override { tokens.push_back(token); }
  void lost(int peer, const char*) override { lost_peer = peer; }

  int packets = 0;
  int lost_peer = -1;
  std::vector<std::uint64_t> tokens;
  std::unique_ptr<Engine> engine;
};

struct OneSidedWay {
  const char* name;
  const char* engine;
  const char* transports;
  bool allocates;

  /// Writes the end of the test's name as ctest lists it.
  friend void PrintTo(const OneSidedWay& of, std::ostream* out) { *out << of.name; }
};

/// Memory of its own pages, which an engine may put others in place of.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : all_(static_cast<std::byte*>(
                 mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
             bytes) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(all_.data(), all_.size()); }
  [[nodiscard]] std::span<std::byte> all() const { return all_; }

 private:
  std::span<std::byte> all_;
};

class OneSidedTest : public testing::TestWithParam<OneSidedWay> {
 protected:
  static constexpr std::size_t bytes = std::size_t{8} << 20;

  OneSidedTest() : a_(options()), b_(options()), ours_(bytes) {
    EXPECT_EQ(a_.engine->connect(0, b_.engine->address()), nullptr);
    EXPECT_EQ(b_.engine->connect(0, a_.engine->address()), nullptr);
    for (std::size_t i = 0; i < bytes; ++i) {
      ours_[i] = static_cast<std::byte>(i * 7 + i / 255);
      theirs_[i] = static_cast<std::byte>(i * 5 + i / 253);
    }
    EXPECT_TRUE(a_.engine->is_one_sided());
    packed_ = b_.engine->register_memory(theirs_);
    rkey_ = a_.engine->unpack_rkey(0, packed_);
    EXPECT_NE(rkey_, nullptr);
  }
  /// Memory that an engine has put in place of the test's goes with the engine, and only once.
  ~OneSidedTest() override {
    b_.engine.reset();
    renew();
  }
  static EngineOptions options() {
    return {.device = "lo",
            .device_alone = true,
            .interfaces = GetParam().transports,
            .name = GetParam().engine,
            .segment = 0,
            .one_sided = EngineOptions::OneSided::on,
            .allocates = GetParam().allocates};
  }
  /// Progresses both, as far as they are there, until that holds; false after 20 s.
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      (void)a_.engine->progress();
      if (b_.engine != nullptr) (void)b_.engine->progress();
      sched_yield();
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }
  /// The memory, which is gone where it was the engine's.
  void renew() {
    EXPECT_NE(mmap(theirs_.data(), bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
              MAP_FAILED);
  }
  /// Runs of all lengths and at odd places, none of which touch.
  [[nodiscard]] std::vector<Engine::Run> runs() {
    std::vector<Engine::Run> all;
    std::size_t at = 3;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t length = std::size_t{1} << i % 17;
      all.push_back({reinterpret_cast<std::uint64_t>(theirs_.data() + at),
                     ours_.data() + bytes / 2 + at, length + i});
      at += length + 2 * i + 1;
    }
    return all;
  }
  static std::byte* there(const Engine::Run& run) {
    return reinterpret_cast<std::byte*>(run.there);
  }
  [[nodiscard]] bool are_equal() const { return std::ranges::equal(ours_, theirs_); }

  Pages pages_{bytes};
  OneSidedEnd a_, b_;
  const std::span<std::byte> theirs_ = pages_.all();
  Memory ours_, packed_;
  void* rkey_ = nullptr;
};

TEST_P(OneSidedTest, a_put_is_told_for_each_run_when_all_its_bytes_are_there) {
  const std::vector<Engine::Run> all = runs();
  Memory wanted(theirs_.begin(), theirs_.end());
  for (const Engine::Run& run : all)
    std::copy_n(run.here, run.bytes, wanted.data() + (there(run) - theirs_.data()));
  EXPECT_TRUE(a_.engine->put(0, rkey_, all, 7));
  ASSERT_TRUE(until([&] { return a_.tokens.size() >= all.size(); }));
  EXPECT_TRUE(std::ranges::equal(theirs_, wanted));
  EXPECT_EQ(a_.tokens, std::vector<std::uint64_t>(all.size(), 7));
}

TEST_P(OneSidedTest, a_get_is_told_for_each_run_when_all_its_bytes_are_here) {
  const std::vector<Engine::Run> all = runs();
  Memory wanted = ours_;
  for (const Engine::Run& run : all)
    std::copy_n(there(run), run.bytes, wanted.data() + (run.here - ours_.data()));
  EXPECT_TRUE(a_.engine->get(0, rkey_, all, 8));
  ASSERT_TRUE(until([&] { return a_.tokens.size() >= all.size(); }));
  EXPECT_EQ(ours_, wanted);
  EXPECT_EQ(a_.tokens, std::vector<std::uint64_t>(all.size(), 8));
}

// More than libfabric or a connection takes at once; packets go on meanwhile.
TEST_P(OneSidedTest, many_long_transfers_and_packets_do_not_hold_each_other_up) {
  constexpr std::size_t part = std::size_t{1} << 20, times = 160;
  const Memory word(8);
  for (std::uint64_t i = 0; i < times; ++i) {
    const std::size_t at = i % 4 * part;
    const Engine::Run run{reinterpret_cast<std::uint64_t>(theirs_.data() + at), ours_.data() + at,
                          part};
    EXPECT_TRUE(a_.engine->put(0, rkey_, std::span(&run, 1), i));
    const Engine::Run back{run.there + bytes / 2, run.here + bytes / 2, part};
    EXPECT_TRUE(a_.engine->get(0, rkey_, std::span(&back, 1), times + i));
    (void)a_.engine->send(0, {}, word, 2 * times);
  }
  const auto transfers = [&] {
    return std::ranges::count_if(a_.tokens, [](std::uint64_t one) { return one < 2 * times; });
  };
  ASSERT_TRUE(until([&] { return transfers() == 2 * times && b_.packets == times; }));
  EXPECT_TRUE(are_equal());
}

// One who computes leaves it to a thread that sleeps on the descriptor.
TEST_P(OneSidedTest, descriptors_say_when_a_transfer_needs_somebody) {
  const Engine::Run put{reinterpret_cast<std::uint64_t>(theirs_.data()), ours_.data(), bytes / 2};
  const Engine::Run get{put.there + bytes / 2, put.here + bytes / 2, bytes / 2};
  EXPECT_TRUE(a_.engine->put(0, rkey_, std::span(&put, 1), 1));
  EXPECT_TRUE(a_.engine->get(0, rkey_, std::span(&get, 1), 2));
  while (a_.tokens.size() < 2) {
    const bool has_moved = a_.engine->progress();
    if (b_.engine->progress() || has_moved || !a_.engine->arm() || !b_.engine->arm()) continue;
    pollfd readable[] = {{a_.engine->descriptor(), POLLIN, 0},
                         {b_.engine->descriptor(), POLLIN, 0}};
    constexpr int patience_ms = 5000;
    ASSERT_NE(poll(readable, 2, patience_ms), 0) << a_.tokens.size();
  }
  EXPECT_TRUE(are_equal());
}

TEST_P(OneSidedTest, a_registration_ends_and_its_memory_can_be_registered_again) {
  a_.engine->forget_rkey(rkey_);
  b_.engine->unregister_memory(theirs_);
  renew();
  const Memory again = b_.engine->register_memory(theirs_);
  void* const rkey = a_.engine->unpack_rkey(0, again);
  ASSERT_NE(rkey, nullptr);
  const Engine::Run run{reinterpret_cast<std::uint64_t>(theirs_.data()), ours_.data(), bytes};
  EXPECT_TRUE(a_.engine->put(0, rkey, std::span(&run, 1), 1));
  ASSERT_TRUE(until([&] { return a_.tokens.size() == 1; }));
  EXPECT_TRUE(are_equal());
  a_.engine->forget_memory();
  b_.engine->forget_memory();
  renew();
  EXPECT_NE(a_.engine->unpack_rkey(0, b_.engine->register_memory(theirs_)), nullptr);
}

TEST_P(OneSidedTest, a_key_that_is_none_is_refused) {
  EXPECT_EQ(a_.engine->unpack_rkey(0, {}), nullptr);
}

TEST_P(OneSidedTest, transfers_end_though_their_peer_has_ended) {
  constexpr std::size_t times = 40;
  const Engine::Run run{reinterpret_cast<std::uint64_t>(theirs_.data()), ours_.data(), bytes};
  for (std::uint64_t i = 0; i < times; ++i) {
    if (i % 2 == 0) EXPECT_TRUE(a_.engine->put(0, rkey_, std::span(&run, 1), i));
    if (i % 2 == 1) EXPECT_TRUE(a_.engine->get(0, rkey_, std::span(&run, 1), i));
  }
  b_.engine.reset();
  renew();
  EXPECT_TRUE(until([&] { return a_.lost_peer == 0; }));
  a_.engine->drop(0);
  EXPECT_TRUE(until([&] { return a_.tokens.size() == times; })) << a_.tokens.size();
  EXPECT_TRUE(a_.engine->put(0, rkey_, std::span(&run, 1), times));
  EXPECT_TRUE(until([&] { return a_.tokens.size() == times + 1; }));
}

/// Over shared memory UCX moves the bytes itself.
class OneSidedAloneTest : public OneSidedTest {};

TEST_P(OneSidedAloneTest, the_target_need_do_nothing) {
  const std::vector<Engine::Run> all = runs();
  std::vector<Engine::Run> back = all;
  for (Engine::Run& run : back) run.here -= bytes / 2;
  const auto alone_until = [&](std::size_t told) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (a_.tokens.size() < told && std::chrono::steady_clock::now() < deadline)
      (void)a_.engine->progress();
    return a_.tokens.size() == told;
  };
  EXPECT_TRUE(a_.engine->put(0, rkey_, std::span(all).first(1), 0));
  ASSERT_TRUE(until([&] { return a_.tokens.size() == 1; }));  // they are connected
  a_.tokens.clear();
  EXPECT_TRUE(a_.engine->put(0, rkey_, all, 1));
  ASSERT_TRUE(alone_until(all.size()));
  EXPECT_TRUE(a_.engine->get(0, rkey_, back, 2));
  ASSERT_TRUE(alone_until(2 * all.size()));
  for (const Engine::Run& run : all) {
    EXPECT_EQ(std::memcmp(there(run), run.here, run.bytes), 0);
    EXPECT_EQ(std::memcmp(there(run), run.here - bytes / 2, run.bytes), 0);
  }
}

// UCX over TCP has the target's library do it, and over shared memory does it itself, as it does
// where there is a card.
INSTANTIATE_TEST_SUITE_P(Engines, OneSidedTest,
                         testing::Values(OneSidedWay{"ucx", "ucx", "", false},
                                         OneSidedWay{"ucx_posix", "ucx", "tcp,posix", true},
                                         OneSidedWay{"ofi", "ofi", "", false}),
                         [](const auto& of) { return std::string(of.param.name); });
INSTANTIATE_TEST_SUITE_P(Engines, OneSidedAloneTest,
                         testing::Values(OneSidedWay{"ucx_posix", "ucx", "tcp,posix", true}),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace armature::transport
