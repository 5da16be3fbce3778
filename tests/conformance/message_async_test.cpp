#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "conformance.hpp"

// Messages whose calls return at once, patterns that match any, probes, and long messages on every
// path. These are: copied from the sender's segment, sent when the receiver has a place, through
// the network.

using namespace conformance;
using armature::any_tag;
using armature::Errc;
using armature::Handle;
using armature::Rank;
using armature::Received;

namespace {

// Each side of what goes in one step and what goes in two.
constexpr std::array<std::size_t, 9> message_sizes{0,      1,      8192,    8193,   20'000,
                                                   32'769, 65'536, 300'001, 3 << 20};

std::span<const std::byte> sent_bytes(const std::vector<std::uint8_t>& data) {
  return std::as_bytes(std::span(data));
}
std::span<std::byte> room_of(std::vector<std::uint8_t>& data) {
  return std::as_writable_bytes(std::span(data));
}

}  // namespace

TEST(MessageAsync, posted_before_and_after_every_size_arrives) {
  for (const bool is_posted_first : {true, false}) {
    std::vector<std::vector<std::uint8_t>> out, into;
    std::vector<Handle> receives;
    std::array<Received, message_sizes.size()> got{};
    const auto post = [&] {
      for (std::size_t i = 0; i < message_sizes.size(); ++i) {
        into.emplace_back(message_sizes[i] + 1, std::uint8_t{0xee});
        receives.push_back(
            armature::receive_async(left(), static_cast<int>(i), room_of(into[i]), &got[i]));
      }
    };
    if (is_posted_first) post();
    world().barrier();
    std::vector<Handle> sends;
    for (std::size_t i = 0; i < message_sizes.size(); ++i)
      out.push_back(patterned(message_sizes[i], static_cast<std::size_t>(me()) + i));
    for (std::size_t i = 0; i < message_sizes.size(); ++i)
      sends.push_back(armature::send_async(right(), static_cast<int>(i), sent_bytes(out[i])));
    if (!is_posted_first) {
      world().barrier();
      post();
    }
    for (std::size_t i = message_sizes.size(); i-- > 0;) {
      receives[i].wait();
      ASSERT_EQ(got[i].bytes, message_sizes[i]);
      EXPECT_EQ(got[i].from, left());
      EXPECT_EQ(got[i].tag, static_cast<int>(i));
      EXPECT_EQ(into[i][message_sizes[i]], 0xee) << "behind the message";
      into[i].resize(message_sizes[i]);
      ASSERT_TRUE(into[i] == patterned(message_sizes[i], static_cast<std::size_t>(left()) + i))
          << message_sizes[i];
    }
    armature::wait_all(sends);
    world().barrier();
  }
}

TEST(MessageAsync, between_segments_every_size_arrives) {
  constexpr std::size_t most = 3 << 20;
  const auto out_there = world().allocate_local<std::byte>(most);
  const auto into_there = world().allocate_local<std::byte>(most);
  std::byte* const out = out_there.address();
  std::byte* const into = into_there.address();
  for (const std::size_t bytes : message_sizes) {
    const auto mine = patterned(bytes, static_cast<std::size_t>(me()) + bytes);
    if (bytes > 0) std::memcpy(out, mine.data(), bytes);
    Received got;
    Handle receive = armature::receive_async(left(), 1, std::span(into, most), &got);
    armature::send(right(), 1, std::span<const std::byte>(out, bytes));
    receive.wait();
    ASSERT_EQ(got.bytes, bytes);
    const auto theirs = patterned(bytes, static_cast<std::size_t>(left()) + bytes);
    ASSERT_TRUE(bytes == 0 || std::memcmp(into, theirs.data(), bytes) == 0) << bytes;
  }
  world().free_local(out_there);
  world().free_local(into_there);
}

TEST(MessageAsync, many_under_way_match_in_the_order_of_sending) {
  const int count = often(2000);
  std::vector<int> out(static_cast<std::size_t>(count)), into(out.size(), -1);
  std::iota(out.begin(), out.end(), 1000 * me());
  std::vector<Handle> receives, sends;
  for (std::size_t i = 0; i < out.size(); ++i) {
    receives.push_back(armature::receive_async(left(), 3, std::span(&into[i], 1)));
    sends.push_back(armature::send_async(right(), 3, std::span(&out[i], 1)));
  }
  armature::wait_all(receives);
  armature::wait_all(sends);
  for (int i = 0; i < count; ++i) ASSERT_EQ(into[static_cast<std::size_t>(i)], 1000 * left() + i);
}

TEST(MessageAsync, any_tag_takes_them_in_the_order_of_sending) {
  for (int i = 0; i < 50; ++i) armature::send(right(), i % 7, i);
  for (int i = 0; i < 50; ++i) {
    int value = -1;
    const Received got = armature::receive(left(), any_tag, std::span(&value, 1));
    ASSERT_EQ(value, i);
    EXPECT_EQ(got.tag, i % 7);
  }
}

TEST(MessageAsync, the_receive_that_was_posted_first_gets_it) {
  int from_left = 0, from_any = 0, last = 0;
  Received got;
  Handle any = armature::receive_async(Rank::none(), any_tag, std::span(&from_any, 1), &got);
  Handle exact = armature::receive_async(left(), 1, std::span(&from_left, 1));
  Handle third = armature::receive_async(left(), any_tag, std::span(&last, 1));
  world().barrier();
  for (int i = 1; i <= 3; ++i) armature::send(right(), 1, i);
  any.wait();
  exact.wait();
  third.wait();
  EXPECT_EQ(got.from, left());
  EXPECT_EQ(from_any, 1);
  EXPECT_EQ(from_left, 2);
  EXPECT_EQ(last, 3);
}

TEST(MessageAsync, a_probe_tells_what_a_receive_gets) {
  EXPECT_FALSE(armature::try_probe(left(), 9).has_value());
  world().barrier();
  const auto mine = patterned(50'000, static_cast<std::size_t>(me()));
  Handle sent = armature::send_async(right(), 9, sent_bytes(mine));
  armature::send(right(), 8, me());
  const Received first = armature::probe(left(), any_tag);
  EXPECT_EQ(first.bytes, mine.size());
  EXPECT_EQ(first.tag, 9);
  EXPECT_EQ(armature::receive<int>(left(), 8), left());
  ASSERT_TRUE(armature::try_probe(left(), 9).has_value());
  std::vector<std::uint8_t> into(first.bytes);
  (void)armature::receive(left(), 9, room_of(into));
  EXPECT_EQ(into, patterned(mine.size(), static_cast<std::size_t>(left())));
  EXPECT_FALSE(armature::try_probe(left(), any_tag).has_value());
}

TEST(MessageAsync, a_matched_message_is_nobody_elses) {
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{100'000}}) {
    const auto mine = patterned(bytes, static_cast<std::size_t>(me()));
    Handle first = armature::send_async(right(), 2, sent_bytes(mine));
    armature::send(right(), 2, 5);
    std::optional<armature::MatchedMessage> matched;
    ASSERT_TRUE(eventually([&] { return (matched = armature::try_match(left(), 2)).has_value(); }));
    EXPECT_EQ(matched->what().bytes, bytes);
    EXPECT_EQ(armature::receive<int>(left(), 2), 5);
    std::vector<std::uint8_t> small(bytes - 1), into(bytes);
    expect_error(Errc::bad_argument, {"MatchedMessage::receive"},
                 [&] { matched->receive(room_of(small)); });
    matched->receive(room_of(into));
    EXPECT_EQ(into, patterned(bytes, static_cast<std::size_t>(left())));
    expect_error(Errc::bad_argument, {"MatchedMessage"}, [&] { matched->receive(room_of(into)); });
    first.wait();
  }
}

TEST(MessageAsync, a_matched_message_that_is_dropped_waits_again) {
  armature::send(right(), 2, 5);
  armature::send(right(), 2, 6);
  std::optional<armature::MatchedMessage> matched;
  ASSERT_TRUE(eventually([&] { return (matched = armature::try_match(left(), 2)).has_value(); }));
  matched.reset();
  EXPECT_EQ(armature::receive<int>(left(), 2), 5);
  EXPECT_EQ(armature::receive<int>(left(), 2), 6);
}

TEST(MessageAsync, a_receive_that_is_posted_meanwhile_gets_a_message_that_is_dropped) {
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{100'000}}) {
    const auto mine = patterned(bytes, static_cast<std::size_t>(me()));
    Handle sent = armature::send_async(right(), 2, sent_bytes(mine));
    std::optional<armature::MatchedMessage> matched;
    ASSERT_TRUE(eventually([&] { return (matched = armature::try_match(left(), 2)).has_value(); }));
    std::vector<std::uint8_t> into(bytes);
    Handle receive = armature::receive_async(left(), 2, room_of(into));
    matched.reset();
    receive.wait();
    EXPECT_EQ(into, patterned(bytes, static_cast<std::size_t>(left())));
    sent.wait();
    world().barrier();
  }
}

TEST(MessageAsync, a_sender_does_not_wait_for_who_keeps_a_matched_message) {
  const auto mine = patterned(100'000, static_cast<std::size_t>(me()));
  Handle sent = armature::send_async(right(), 2, sent_bytes(mine));
  std::optional<armature::MatchedMessage> matched;
  ASSERT_TRUE(eventually([&] { return (matched = armature::try_match(left(), 2)).has_value(); }));
  sent.wait();
  world().barrier();
  std::vector<std::uint8_t> into(mine.size());
  matched->receive(room_of(into));
  EXPECT_EQ(into, patterned(mine.size(), static_cast<std::size_t>(left())));
}

TEST(MessageAsync, a_probe_lets_what_was_begun_go_on) {
  const auto mine = patterned(1 << 20, static_cast<std::size_t>(me()));
  Handle sent = armature::send_async(right(), 2, sent_bytes(mine));
  std::vector<std::uint8_t> into(mine.size());
  Handle receive = armature::receive_async(left(), 2, room_of(into));
  ASSERT_TRUE(eventually([&] {
    (void)armature::try_probe(left(), 3);
    return receive.test();
  }));
  armature::send(left(), 3, me());
  ASSERT_TRUE(eventually([] { return armature::try_probe(right(), 3).has_value(); }));
  EXPECT_EQ(armature::receive<int>(right(), 3), right());
  sent.wait();
}

// The sender may be another rank of the same thread.
TEST(MessageAsync, a_handle_that_is_tested_in_a_loop_becomes_complete) {
  using Clock = std::chrono::steady_clock;
  const auto in_time = [end = Clock::now() + std::chrono::seconds(60)] {
    return Clock::now() < end;
  };
  int from_left = -1, from_right = -1;
  Handle receive = armature::receive_async(left(), 2, std::span(&from_left, 1));
  armature::send(right(), 2, me());
  while (!receive.test()) ASSERT_TRUE(in_time());
  EXPECT_EQ(from_left, left());
  std::array<Handle, 1> receives{armature::receive_async(right(), 3, std::span(&from_right, 1))};
  armature::send(left(), 3, me());
  while (armature::test_any(receives) == receives.size()) ASSERT_TRUE(in_time());
  EXPECT_EQ(from_right, right());
}

TEST(MessageAsync, a_receive_that_is_cancelled_takes_nothing) {
  int gone = -1, came = -1;
  Handle cancelled = armature::receive_async(left(), 4, std::span(&gone, 1));
  Handle kept = armature::receive_async(left(), 4, std::span(&came, 1));
  EXPECT_TRUE(armature::cancel(cancelled));
  EXPECT_TRUE(cancelled.is_empty());
  EXPECT_FALSE(armature::cancel(cancelled));
  world().barrier();
  armature::send(right(), 4, 77);
  kept.wait();
  EXPECT_EQ(came, 77);
  EXPECT_EQ(gone, -1);
}

TEST(MessageAsync, one_that_does_not_fit_is_kept) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{100'000}}) {
    std::vector<std::uint8_t> small(bytes - 1), into(bytes);
    Handle too_short = armature::receive_async(left(), 4, room_of(small));
    world().barrier();
    const auto mine = patterned(bytes, static_cast<std::size_t>(me()));
    Handle sent = armature::send_async(right(), 4, sent_bytes(mine));
    expect_error(Errc::bad_argument, {"receive_async", "does not fit"}, [&] { too_short.wait(); });
    EXPECT_EQ(armature::receive(left(), 4, room_of(into)).bytes, bytes);
    EXPECT_EQ(into, patterned(bytes, static_cast<std::size_t>(left())));
    sent.wait();
  }
}

TEST(MessageAsync, a_long_one_is_sent_while_the_receiver_waits_for_something_else) {
  const auto mine = patterned(1 << 20, static_cast<std::size_t>(me()));
  armature::send(right(), 4, sent_bytes(mine));  // nobody has a receive for it
  world().barrier();
  std::vector<std::uint8_t> into(mine.size());
  (void)armature::receive(left(), 4, room_of(into));
  EXPECT_EQ(into, patterned(mine.size(), static_cast<std::size_t>(left())));
}

TEST(MessageAsync, typed_ones_are_values_and_ranges) {
  struct Point {
    double x, y;
  };
  armature::send(right(), 1, Point{1.5, me() + 0.5});
  const auto point = armature::receive<Point>(left(), 1);
  EXPECT_EQ(point.y, left() + 0.5);
  const std::vector<double> row{1, 2, 3};
  armature::send(right(), 1, row);
  std::array<double, 4> into{};
  EXPECT_EQ(armature::receive(left(), 1, into).bytes, 3 * sizeof(double));
  EXPECT_EQ(into[2], 3);
  armature::send(right(), 1, 1);
  expect_error(Errc::bad_argument, {"value of 8"},
               [] { (void)armature::receive<double>(left(), 1); });
}

TEST(MessageAsync, all_to_all_of_every_path) {
  const auto n = static_cast<std::size_t>(ranks());
  for (const std::size_t bytes : {std::size_t{16}, std::size_t{40'000}, std::size_t{200'000}}) {
    std::vector<std::vector<std::uint8_t>> out(n), into(n);
    std::vector<Handle> receives, sends;
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = patterned(bytes, static_cast<std::size_t>(me()) * n + i);
      into[i].resize(bytes);
      sends.push_back(armature::send_async(Rank(static_cast<int>(i)), 6, sent_bytes(out[i])));
    }
    for (std::size_t i = 0; i < n; ++i)
      receives.push_back(armature::receive_async(Rank(static_cast<int>(i)), 6, room_of(into[i])));
    for (std::size_t i = 0; i < n; ++i) {
      receives[i].wait();
      ASSERT_TRUE(into[i] == patterned(bytes, i * n + static_cast<std::size_t>(me()))) << i;
    }
    armature::wait_all(sends);
  }
}
