#include <atomic>
#include <cstring>

#include "conformance.hpp"

using namespace conformance;
using armature::Errc;
using armature::Rank;

namespace {

template <class T>
void send(int to, int tag, const T& value) {
  armature::send(to, tag, std::as_bytes(std::span(&value, 1)));
}
template <class T>
T receive(int from, int tag) {
  T value{};
  const auto got = armature::receive(from, tag, std::as_writable_bytes(std::span(&value, 1)));
  EXPECT_EQ(got.bytes, sizeof(T));
  if (from >= 0) {
    EXPECT_EQ(got.from, from);
  }
  return value;
}

}  // namespace

TEST(Message, messages_go_round_the_ring) {
  for (int round = 0; round < 100; ++round) {
    send(right(), 1, me() * 1000 + round);
    ASSERT_EQ(receive<int>(left(), 1), left() * 1000 + round);
  }
}

TEST(Message, every_size_arrives_whole) {
  for (const std::size_t bytes : {0U, 1U, 7U, 48U, 64U, 1000U, 4096U, 65535U, 65536U, 100001U}) {
    const auto mine = patterned(bytes, static_cast<std::size_t>(me()));
    armature::send(right(), 2, std::as_bytes(std::span(mine)));
    std::vector<std::uint8_t> into(bytes + 10, 0xee);
    const auto got = armature::receive(left(), 2, std::as_writable_bytes(std::span(into)));
    ASSERT_EQ(got.bytes, bytes);
    EXPECT_EQ(got.from, left());
    into.resize(bytes);
    EXPECT_EQ(into, patterned(bytes, static_cast<std::size_t>(left()))) << bytes;
  }
}

TEST(Message, large_ones_may_cross) {
  constexpr std::size_t bytes = 20 << 20;
  const auto mine = patterned(bytes, static_cast<std::size_t>(me()));
  armature::send(right(), 2, std::as_bytes(std::span(mine)));
  std::vector<std::uint8_t> into(bytes);
  (void)armature::receive(left(), 2, std::as_writable_bytes(std::span(into)));
  EXPECT_EQ(into, patterned(bytes, static_cast<std::size_t>(left())));
}

TEST(Message, one_senders_messages_with_one_tag_keep_their_order) {
  for (int i = 0; i < 1000; ++i) send(right(), i % 2, i);
  for (int i = 1; i < 1000; i += 2) ASSERT_EQ(receive<int>(left(), 1), i);
  for (int i = 0; i < 1000; i += 2) ASSERT_EQ(receive<int>(left(), 0), i);
}

TEST(Message, tags_are_any_numbers_from_0) {
  const int tags[] = {0, 1, 77, 1 << 30, std::numeric_limits<int>::max()};
  for (const int tag : tags) send(right(), tag, tag);
  for (int i = 4; i >= 0; --i) EXPECT_EQ(receive<int>(left(), tags[i]), tags[i]);
  std::byte buffer[8] = {};
  for (const int tag : {-1, std::numeric_limits<int>::min()}) {
    expect_error(Errc::bad_argument, {"send"}, [&] { armature::send(right(), tag, buffer); });
    expect_error(Errc::bad_argument, {"receive"},
                 [&] { (void)armature::receive(left(), tag, buffer); });
  }
}

TEST(Message, a_rank_may_send_to_itself) {
  send(me(), 9, 42);
  send(me(), 8, 43);
  EXPECT_EQ(receive<int>(me(), 8), 43);
  EXPECT_EQ(receive<int>(me(), 9), 42);
}

TEST(Message, anyone_may_be_received_from) {
  for (int i = 0; i < 3; ++i) send(0, 5, me() * 10 + i);
  if (me() != 0) return;
  std::vector<int> seen(static_cast<std::size_t>(ranks()));
  for (int i = 0; i < 3 * ranks(); ++i) {
    int value = 0;
    const auto into = std::as_writable_bytes(std::span(&value, 1));
    const auto got = armature::receive(Rank::none(), 5, into);
    ASSERT_EQ(value, got.from * 10 + seen[static_cast<std::size_t>(got.from)]++);
  }
  for (const int count : seen) EXPECT_EQ(count, 3);
}

TEST(Message, a_message_longer_than_the_buffer_is_kept) {
  send(right(), 3, std::int64_t{77});
  std::byte small[4];
  expect_error(Errc::bad_argument, {"receive"}, [&] { (void)armature::receive(left(), 3, small); });
  EXPECT_EQ(receive<std::int64_t>(left(), 3), 77);
}

TEST(Message, everybody_may_send_much_before_anybody_receives) {
  constexpr int count = 20000;  // more than any mailbox holds
  for (int i = 0; i < count; ++i) send(right(), 4, std::int64_t{i});
  for (int i = 0; i < count; ++i) ASSERT_EQ(receive<std::int64_t>(left(), 4), i);
}

TEST(Message, a_sender_that_runs_ahead_waits_for_room) {
  constexpr int count = 20000;
  if (me() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int from = 1; me() == 0 && from < ranks(); ++from)
    for (int i = 0; i < count; ++i) ASSERT_EQ(receive<int>(from, 4), i);
  for (int i = 0; me() != 0 && i < count; ++i) send(0, 4, i);
}

namespace {

struct Talker {
  void ask(armature::shared_ref<Talker> talker, Rank other) {
    talker.async(other, &Talker::speak, me());
  }
  void speak(Rank to) { send(to, 5, 77); }
  void stop() { stopped = true; }
  std::atomic<bool> stopped = false;
};

}  // namespace

TEST(Message, what_a_method_sends_comes_after_the_message_that_waits_for_room) {
  armature::shared<Talker> talker(world());
  constexpr std::size_t bytes = 2 << 20;
  const auto mine = patterned(bytes, static_cast<std::size_t>(me()));
  talker.async(right(), &Talker::ask, talker.ref(), me());
  armature::send(right(), 2, std::as_bytes(std::span(mine)));
  std::vector<std::uint8_t> into(bytes);
  (void)armature::receive(left(), 2, std::as_writable_bytes(std::span(into)));
  EXPECT_EQ(into, patterned(bytes, static_cast<std::size_t>(left())));
  EXPECT_EQ(receive<int>(left(), 5), 77);
  armature::rmi_fence();
}

TEST(Message, a_sender_that_does_not_stop_keeps_nobody) {
  if (ranks() < 2) return;  // who sends to itself executes nothing meanwhile
  armature::shared<Talker> talker(world());
  if (me() == 1) {
    int count = 0;
    for (; !talker->stopped; ++count) send(0, 4, count);
    send(0, 5, count);
  } else if (me() == 0) {
    ASSERT_EQ(receive<int>(1, 4), 0);
    talker.async(1, &Talker::stop);
    const int count = receive<int>(1, 5);
    for (int i = 1; i < count; ++i) ASSERT_EQ(receive<int>(1, 4), i);
  }
  armature::rmi_fence();
}

TEST(Message, ranks_there_are_not_are_errors) {
  std::byte buffer[8] = {};
  for (const int rank : {-1, ranks(), 1 << 30})
    expect_error(Errc::bad_rank, {"send"}, [&] { armature::send(rank, 0, buffer); });
  for (const int rank : {ranks(), 1 << 30})
    expect_error(Errc::bad_rank, {"receive"}, [&] { (void)armature::receive(rank, 0, buffer); });
}

// A rank whose messages come in one after the other may not keep those of others from coming in:
// their senders wait for room.
TEST(Message, one_who_never_stops_does_not_keep_others_out) {
  if (ranks() < 3) return;
  constexpr int others = 2, stop = 3;
  const std::vector<std::byte> block(100);
  std::array<std::byte, 100> into{};
  if (me() == 0) {
    for (bool goes_on = true; goes_on;) {
      (void)armature::receive(1, 1, into);
      goes_on = into[0] == std::byte{0};
    }
    for (int i = 0; i < 4000; ++i) (void)armature::receive(2, others, into);
  } else if (me() == 1) {
    bool is_told = false;
    while (!is_told) {
      is_told = armature::try_probe(2, stop).has_value();
      std::array<std::byte, 100> said{};
      said[0] = std::byte{is_told};
      armature::send(0, 1, said);
    }
    (void)armature::receive(2, stop, into);
  } else if (me() == 2) {
    for (int i = 0; i < 4000; ++i) armature::send(0, others, block);
    armature::send(1, stop, block);
  }
  world().barrier();
}
