// Tests of how long a peer whose process has ended is waited for.
#include "engines/ofi/dying.hpp"

#include <gtest/gtest.h>

namespace armature::transport {
namespace {

TEST(DyingOfi, a_peer_counts_as_lost_when_what_was_sent_again_has_come) {
  Dying dying;
  std::uint64_t now_ns = 1'000'000'000'000;
  dying.add(3);
  const std::uint64_t begun_ns = now_ns;
  while (dying.due(now_ns).empty()) now_ns += 10'000'000;
  EXPECT_GE(now_ns - begun_ns, 2 * std::uint64_t{200'000'000});
  EXPECT_LE(now_ns - begun_ns, 2 * Dying::patience_ns);
  EXPECT_TRUE(dying.empty());
}

TEST(DyingOfi, the_time_of_one_that_does_not_look_hardly_counts) {
  Dying dying;
  std::uint64_t now_ns = 1'000'000'000'000;
  dying.add(3);
  int looks = 0;
  for (; dying.due(now_ns).empty(); ++looks) now_ns += 10'000'000'000;
  EXPECT_GE(looks, 20);
  EXPECT_LE(looks, 100);
}

TEST(DyingOfi, each_has_a_time_of_its_own_and_one_that_came_again_has_none) {
  Dying dying;
  std::uint64_t now_ns = 1'000'000'000'000;
  const auto pass = [&](int looks) {
    std::vector<int> lost;
    for (int i = 0; i < looks; ++i)
      for (const int peer : dying.due(now_ns += Dying::look_ns)) lost.push_back(peer);
    return lost;
  };
  dying.add(3);
  dying.add(4);
  (void)pass(15);
  dying.add(5);
  dying.forget(4);
  EXPECT_EQ(pass(15), std::vector<int>{3});
  EXPECT_EQ(pass(15), std::vector<int>{5});
  EXPECT_TRUE(dying.empty());
}

}  // namespace
}  // namespace armature::transport
