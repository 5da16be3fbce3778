#include "progress/service.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "progress/played_peer.hpp"

namespace armature::progress {
namespace {

using transport::Kind;

constexpr std::uint64_t ms = 1'000'000;
std::atomic<int> handled = 0;

NetworkOptions options(std::uint64_t heartbeat_ns = 0) {
  handled = 0;
  NetworkOptions chosen;
  chosen.heartbeat_ns = heartbeat_ns;
  chosen.handlers = {[](transport::Links& links) {
    links.handle(Kind::reply, [](const transport::Arrived&) { ++handled; });
  }};
  return chosen;
}

TEST(ServiceTest, what_comes_while_ranks_do_not_look_is_handled) {
  PlayedNetwork net(options());
  for (int i = 1; i <= 20; ++i) {
    net.peer.say(Kind::reply, 1);
    ASSERT_TRUE(net.until([&] { return handled == i; }, false)) << i;
  }
}

TEST(ServiceTest, it_listens_again_when_ranks_have_looked_away) {
  PlayedNetwork net(options());
  for (int i = 1; i <= 10; ++i) {
    for (int polled = 0; polled < 10'000; ++polled) (void)network()->poll();
    network()->look_away();
    net.peer.say(Kind::reply, 1);
    ASSERT_TRUE(net.until([&] { return handled == i; }, false)) << i;
  }
}

TEST(ServiceTest, what_comes_while_a_rank_polls_is_left_to_it_until_it_stops) {
  PlayedNetwork net(options());
  int left = 0;
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(net.until([] { return network()->stop_ears(); }, false)) << "it never listens";
    net.peer.say(Kind::reply, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    left += handled == i - 1;
    network()->hear_again();
    ASSERT_TRUE(net.until([&] { return handled == i; }, false)) << i;
  }
  EXPECT_GE(left, 10);  // not what came just when the thread was about to sleep
}

TEST(ServiceTest, who_is_silent_for_longer_than_the_heartbeat_is_given_up) {
  PlayedNetwork net(options(200 * ms));
  EXPECT_TRUE(net.until([&] { return net.peer.drops == 1; }, false));
  EXPECT_TRUE(net.until([&] { return net.mapping().slot(1).life == space::Life::dead; }, false));
  EXPECT_EQ(net.mapping().slot(2).life, space::Life::dead);
  EXPECT_EQ(net.mapping().slot(0).life, space::Life::running);
}

TEST(ServiceTest, signs_of_life_are_sent_and_who_sends_some_stays) {
  NetworkOptions chosen = options(400 * ms);
  PlayedNetwork net(chosen);
  std::size_t answered = 0;
  const auto hears_of_us_often = [&] {
    for (; answered < net.peer.seen(Kind::none).size(); ++answered) net.peer.say(Kind::none, -1);
    return answered >= 12;  // for three times as long as a silence may last
  };
  EXPECT_TRUE(net.until(hears_of_us_often, false));
  EXPECT_EQ(net.peer.drops, 0);
}

TEST(ServiceTest, without_a_heartbeat_silence_is_no_fault) {
  PlayedNetwork net(options(0));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(net.peer.drops, 0);
  EXPECT_TRUE(net.peer.seen(Kind::none).empty());
}

}  // namespace
}  // namespace armature::progress
