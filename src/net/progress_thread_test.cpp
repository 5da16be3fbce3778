#include "net/progress_thread.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "armature/handle.hpp"
#include "harness/two_nodes.hpp"
#include "wait/request.hpp"
#include "wait/wait.hpp"

namespace armature::net {
namespace {

constexpr std::uint64_t ms = 1'000'000;
std::atomic<int> handled = 0;
std::atomic<bool (*)()> look = nullptr;

enum class Said : std::uint8_t { word };
constexpr std::array<transport::Handling, 1> heard{{
    {.kind = transport::number_of(Said::word),
     .handler = [](const transport::Arrived&) { ++handled; }},
}};
const transport::Service listener{
    .name = "listener", .records_count = 1, .handlers = {heard}, .poll = [] {
      const auto looks = look.load();
      return looks != nullptr && looks();
    }};
const transport::Service& service_of(Said) { return listener; }

NetworkOptions options(std::uint64_t heartbeat_ns = 0) {
  handled = 0;
  NetworkOptions chosen;
  chosen.heartbeat_ns = heartbeat_ns;
  chosen.services = {&listener};
  return chosen;
}

/// All that it has said.
bool is_acknowledged(const harness::Peer& peer) {
  const std::lock_guard locked(peer.mutex);
  return peer.acknowledged == peer.sequence;
}

TEST(ProgressThreadTest, what_comes_while_ranks_do_not_look_is_handled) {
  harness::TwoNodes net(options());
  for (int i = 1; i <= 20; ++i) {
    net.peer.say(Said::word, 1);
    ASSERT_TRUE(net.until([&] { return handled == i; }, false)) << i;
  }
}

TEST(ProgressThreadTest, it_listens_again_when_ranks_suppress_it_no_more) {
  harness::TwoNodes net(options());
  for (int i = 1; i <= 10; ++i) {
    for (int polled = 0; polled < 10'000; ++polled) (void)network()->poll();
    network()->thread().leave_to_thread();
    net.peer.say(Said::word, 1);
    ASSERT_TRUE(net.until([&] { return handled == i; }, false)) << i;
  }
}

/// How often the other threads of this process have gone to sleep so far.
std::uint64_t sleeps_of_others() {
  std::uint64_t sum = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(gettid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string word; status >> word;)
      if (std::uint64_t times = 0; word == "voluntary_ctxt_switches:" && status >> times)
        sum += times;
  }
  return sum;
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;  // whose run time may sleep anywhere
#else
constexpr bool is_sanitized = false;
#endif

TEST(ProgressThreadTest, one_that_polls_serves_without_a_call_in_which_it_could_sleep) {
  NetworkOptions chosen = options();
  chosen.server = ServerWay::polls;
  harness::TwoNodes net(chosen);
  const space::NetworkCounters& counters = net.mapping().process_slot(0).network;
  std::uint64_t before = 0;
  for (int i = 1; i <= 50; ++i) {
    if (i % 3 == 0) {
      ASSERT_TRUE(network()->thread().suppress());
      network()->thread().resume();
    }
    if (i % 5 == 0) network()->thread().look_now();
    net.peer.say(Said::word, 1);
    ASSERT_TRUE(net.until([&] { return handled == i; }, false)) << i;
    if (i == 1) before = sleeps_of_others();  // it has started
  }
  // A few: memory and the peer have locks of their own, for which any thread may have to wait.
  if (!is_sanitized) EXPECT_LE(sleeps_of_others(), before + 5);
  EXPECT_EQ(counters.server_polls, 1U);
  EXPECT_EQ(counters.server_sleeps, 0U);
}

TEST(ProgressThreadTest, one_that_polls_leaves_the_looking_to_a_rank_that_polls) {
  NetworkOptions chosen = options();
  chosen.server = ServerWay::polls;
  harness::TwoNodes net(chosen);
  bool is_left = false;
  for (int i = 0; i < 20 && !is_left; ++i) {
    ASSERT_TRUE(network()->thread().suppress());
    // A look that had begun is over, unless the thread has no core for so long.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    net.peer.say(Said::word, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_left = handled == i;
    network()->thread().resume();
    ASSERT_TRUE(net.until([&] { return handled == i + 1; }, false));
  }
  EXPECT_TRUE(is_left);
}

TEST(ProgressThreadTest, one_that_sleeps_is_counted_as_such) {
  harness::TwoNodes net(options());
  const space::NetworkCounters& counters = net.mapping().process_slot(0).network;
  EXPECT_TRUE(net.until([&] { return counters.server_sleeps > 0; }, false));
  EXPECT_EQ(counters.server_polls, 0U);
}

TEST(ServerWayTest, it_polls_where_each_thread_has_a_core_and_there_are_four) {
  unsetenv(server_variable);
  setenv("OMP_NUM_THREADS", "1", 1);
  EXPECT_EQ(choose_server(2, 2).way, ServerWay::sleeps);
  EXPECT_EQ(choose_server(2, 3).way, ServerWay::sleeps);
  EXPECT_EQ(choose_server(4, 4).way, ServerWay::polls);
  EXPECT_EQ(choose_server(5, 4).way, ServerWay::sleeps);
  EXPECT_EQ(choose_server(16, 64).way, ServerWay::polls);
  unsetenv("OMP_NUM_THREADS");
}

TEST(ServerWayTest, a_program_may_need_the_cores_for_threads_of_its_own) {
  unsetenv(server_variable);
  unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(choose_server(2, 64).way, ServerWay::sleeps);
  setenv("OMP_NUM_THREADS", "64", 1);
  EXPECT_EQ(choose_server(2, 64).way, ServerWay::sleeps);
  setenv("OMP_NUM_THREADS", "16", 1);
  EXPECT_EQ(choose_server(2, 64).way, ServerWay::polls);
  for (const char* const unclear : {"4,2", "", "0", "-1", "99999999999", "many"}) {
    setenv("OMP_NUM_THREADS", unclear, 1);
    EXPECT_EQ(choose_server(2, 64).way, ServerWay::sleeps) << unclear;
  }
  unsetenv("OMP_NUM_THREADS");
}

TEST(ServerWayTest, what_the_user_says_goes_before) {
  for (const auto& [word, way] : {std::pair{"poll", ServerWay::polls},
                                  {"sleep", ServerWay::sleeps},
                                  {"auto", ServerWay::sleeps}}) {
    setenv(server_variable, word, 1);
    EXPECT_EQ(choose_server(4, 2).way, way) << word;
  }
  setenv(server_variable, "sleep", 1);
  EXPECT_EQ(choose_server(4, 64).way, ServerWay::sleeps);
  setenv(server_variable, "often", 1);
  EXPECT_THROW((void)choose_server(1, 4), Error);
  unsetenv(server_variable);
}

TEST(ProgressThreadTest, while_it_cannot_listen_it_parks_ever_longer) {
  harness::TwoNodes net(options());
  const transport::Links::Lock locked(network()->links().lock());  // as a rank that polls
  const auto begun = std::chrono::steady_clock::now();
  const std::uint64_t before = sleeps_of_others();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::uint64_t parks = sleeps_of_others() - before;
  const auto took = std::chrono::steady_clock::now() - begun;
  RecordProperty("parks", static_cast<int>(parks));
  // From 50 us on each is twice as long as the one before, up to 2 ms.
  EXPECT_LE(parks, 8 + static_cast<std::uint64_t>(took / std::chrono::milliseconds(2)));
}

TEST(ProgressThreadTest, what_comes_while_a_rank_polls_is_left_to_it_until_it_stops) {
  harness::TwoNodes net(options());
  int left = 0;
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(network()->thread().suppress());
    net.peer.say(Said::word, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    left += handled == i - 1;
    network()->thread().resume();
    ASSERT_TRUE(net.until([&] { return handled == i; }, false)) << i;
  }
  EXPECT_GE(left, 10);  // not what came just when the thread was about to sleep
}

TEST(ProgressThreadTest, what_a_rank_took_in_last_is_acknowledged_when_it_polls_no_more) {
  harness::TwoNodes net(options(400'000 * ms));  // nobody looks because of that
  net.peer.flags = transport::PacketHeader::wants_ack;
  for (int i = 1; i <= 5; ++i) {
    ASSERT_TRUE(network()->thread().suppress());
    net.peer.say(Said::word, 1);
    ASSERT_TRUE(net.until([&] { return handled == i; }));
    network()->thread().resume();
    ASSERT_TRUE(net.until([&] { return is_acknowledged(net.peer); }, false)) << i;
  }
}

TEST(ProgressThreadTest, so_is_what_a_rank_took_in_that_only_looked_once) {
  harness::TwoNodes net(options(400'000 * ms));
  net.peer.flags = transport::PacketHeader::wants_ack;
  net.peer.is_heard = false;  // the rank is faster
  armature::detail::Request request{[](armature::detail::Request&) {
                                      (void)network()->try_poll();
                                      return false;
                                    },
                                    nullptr};
  armature::detail::Request* under_way = &request;
  for (int i = 1; i <= 6; ++i) {
    net.peer.say(Said::word, 1);
    const auto looks_until_handled = [&] {
      i % 2 == 0 ? wait::let_others_run() : (void)armature::detail::test(under_way);
      return handled == i;
    };
    ASSERT_TRUE(net.until(looks_until_handled, false));
    ASSERT_TRUE(net.until([&] { return is_acknowledged(net.peer); }, false)) << i;
  }
}

TEST(ProgressThreadTest, what_a_rank_had_to_look_at_again_is_looked_at_when_it_polls_no_more) {
  static std::atomic<int> looks = 0;
  static std::atomic<bool> more = false;
  looks = 0;
  NetworkOptions chosen = options(400'000 * ms);
  look = [] {
    ++looks;
    return more.load();
  };
  harness::TwoNodes net(chosen);
  ASSERT_TRUE(network()->thread().suppress());
  more = true;
  (void)network()->poll();
  const int before = looks;
  network()->thread().resume();
  EXPECT_TRUE(net.until([&] { return looks > before + 3; }, false));
  look = nullptr;
  more = false;
}

TEST(ProgressThreadTest, who_is_silent_for_longer_than_the_heartbeat_is_given_up) {
  harness::TwoNodes net(options(200 * ms));
  EXPECT_TRUE(net.until([&] { return net.peer.drops == 1; }, false));
  for (const int rank : {1, 2})
    EXPECT_TRUE(
        net.until([&] { return net.mapping().slot(rank).life == space::Life::dead; }, false));
  EXPECT_EQ(net.mapping().slot(0).life, space::Life::running);
}

TEST(ProgressThreadTest, signs_of_life_are_sent_and_who_sends_some_stays) {
  NetworkOptions chosen = options(2000 * ms);
  harness::TwoNodes net(chosen);
  std::size_t answered = 0;
  const auto hears_of_us_often = [&] {
    for (; answered < net.peer.seen(transport::Kind::none).size(); ++answered)
      net.peer.say(transport::Kind::none, -1);
    return answered >= 5;  // for longer than a silence may last
  };
  EXPECT_TRUE(net.until(hears_of_us_often, false));
  EXPECT_EQ(net.peer.drops, 0);
}

TEST(ProgressThreadTest, who_has_not_found_all_yet_gives_signs_of_life) {
  harness::TwoNodes net(options(40 * ms), 3);
  EXPECT_GE(net.peer.seen(transport::Kind::none).size(), 3U);
}

TEST(ProgressThreadTest, without_a_heartbeat_silence_is_no_fault) {
  NetworkOptions chosen = options(0);
  chosen.beat_ns = 3'600'000 * ms;  // a machine that is busy may take long
  harness::TwoNodes net(chosen);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(net.peer.drops, 0);
  EXPECT_TRUE(net.peer.seen(transport::Kind::none).empty());
}

/// All that comes behind it would wait for ever.
TEST(ProgressThreadTest, without_a_heartbeat_a_packet_that_stays_missing_is_a_fault) {
  NetworkOptions chosen = options(0);
  chosen.beat_ns = 20 * ms;
  harness::TwoNodes net(chosen);
  net.peer.say(transport::Kind::none, -1);
  {
    const std::lock_guard locked(net.peer.mutex);
    ++net.peer.sequence;
  }
  // A process that is stopped says nothing more: that is no fault.
  net.peer.say(transport::Kind::none, -1);
  const std::size_t beats = net.peer.seen(transport::Kind::none).size();
  EXPECT_TRUE(
      net.until([&] { return net.peer.seen(transport::Kind::none).size() > beats + 8; }, false));
  EXPECT_EQ(net.peer.drops, 0);
  EXPECT_TRUE(net.until(
      [&] {
        if (net.peer.seen(transport::Kind::none).size() > beats)
          net.peer.say(transport::Kind::none, -1);
        return net.peer.drops == 1;
      },
      false));
}

}  // namespace
}  // namespace armature::net
