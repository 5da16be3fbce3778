#include "harness/by_engine_test.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "rma/engine_transfer.hpp"
#include "rma/pending_requests.hpp"
#include "rma/registered_memory.hpp"

namespace armature::rma {
namespace {

using harness::ByEngineTest;
using harness::Bytes;
using harness::Peer;

using net::network;

TEST_F(ByEngineTest, a_put_is_there_when_it_returns) {
  const Bytes data = patterned(long_enough);
  ASSERT_TRUE(put(remote(3), data));
  EXPECT_TRUE(std::ranges::equal(data, std::span(remote(3), data.size())));
  EXPECT_EQ(net_.peer.one_sided.puts, 1U);
}

TEST_F(ByEngineTest, a_get_has_delivered_when_it_returns) {
  const Bytes data = patterned(long_enough);
  std::ranges::copy(data, remote(4));
  Bytes got(data.size());
  ASSERT_EQ(get(got, remote(4), Finish::now), nullptr);
  EXPECT_EQ(got, data);
}

TEST_F(ByEngineTest, a_chunk_is_asked_for_once) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(put(remote(5), patterned(long_enough)));
  EXPECT_EQ(keys_asked(), 1U);
}

TEST_F(ByEngineTest, what_lies_in_two_chunks_goes_in_two_parts) {
  const Bytes data = patterned(long_enough);
  std::byte* const to = remote(7) - 1000;
  ASSERT_TRUE(put(to, data));
  EXPECT_TRUE(std::ranges::equal(data, std::span(to, data.size())));
  EXPECT_EQ(keys_asked(), 2U);
  EXPECT_EQ(net_.peer.one_sided.puts, 2U);
}

TEST_F(ByEngineTest, short_transfers_travel_in_packets) {
  EXPECT_FALSE(put(remote(8), patterned(1000)));
  EXPECT_EQ(keys_asked(), 0U);
}

TEST_F(ByEngineTest, so_do_all_where_the_engine_has_no_such_operations) {
  net_.peer.one_sided.is_offered = false;
  choose_protocols({});
  EXPECT_FALSE(put(remote(8), patterned(long_enough)));
  EXPECT_EQ(keys_asked(), 0U);
}

TEST_F(ByEngineTest, so_do_those_to_memory_that_cannot_be_offered) {
  key_.clear();
  EXPECT_FALSE(put(remote(9), patterned(long_enough)));
  EXPECT_FALSE(put(remote(9), patterned(long_enough)));
  EXPECT_EQ(keys_asked(), 1U);
  EXPECT_EQ(net_.peer.one_sided.puts, 0U);
}

TEST_F(ByEngineTest, a_get_behind_a_handle_is_complete_when_the_engine_says_so) {
  const Bytes data = patterned(long_enough);
  std::ranges::copy(data, remote(10));
  net_.peer.one_sided.is_held_back = true;
  Bytes got(data.size());
  detail::Request* const request = get(got, remote(10), Finish::later);
  ASSERT_NE(request, nullptr);
  EXPECT_FALSE(request->is_complete(*request));
  net_.peer.one_sided.is_held_back = false;
  EXPECT_TRUE(net_.until([&] { return request->is_complete(*request); }));
  EXPECT_EQ(got, data);
  request->release(*request);
}

TEST_F(ByEngineTest, it_begins_when_what_was_sent_before_is_acknowledged) {
  ASSERT_TRUE(put(remote(11), patterned(long_enough)));  // the key is known
  net_.peer.acknowledges = false;
  {
    const std::lock_guard locked(network()->links().lock());
    network()->link_to(1).post(Kind::put, 0, 1, PutRecord{}, transport::Link::Ack::soon);
    network()->link_to(1).flush();
  }
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(net_.peer.one_sided.puts, 1U);
    net_.peer.say(transport::Kind::none, -1);
  });
  EXPECT_TRUE(put(remote(11), patterned(long_enough)));
  late.join();
  EXPECT_EQ(net_.peer.one_sided.puts, 2U);
}

TEST_F(ByEngineTest, a_chunk_of_this_process_is_offered_once_and_told_to_all_who_ask) {
  const auto answers = [&] { return net_.peer.seen(Kind::keyed); };
  for (std::uint64_t request = 1; request <= 2; ++request)
    net_.peer.say(Kind::key, 1, KeyRecord{request, 12});
  ASSERT_TRUE(net_.until([&] { return answers().size() == 2; }));
  EXPECT_EQ(net_.peer.one_sided.memories.size(), 1U);
  EXPECT_EQ(net_.peer.one_sided.memories[0].data(), net_.mapping().segment(0) + 12 * chunk);
  EXPECT_EQ(net_.peer.one_sided.memories[0].size(), chunk);
  EXPECT_EQ(answers()[1].head<std::uint64_t>(), 2U);
  EXPECT_EQ(answers()[1].body.size(), sizeof(std::uint64_t) + 8);
}

TEST_F(ByEngineTest, a_key_that_was_used_is_kept_and_one_that_was_not_is_given_up) {
  const auto answers = [&] { return net_.peer.seen(Kind::given_up); };
  ASSERT_TRUE(put(remote(13), patterned(long_enough)));
  net_.peer.say(Kind::give_up, -1, GiveUpRecord{.serial = 7, .chunk = 13, .rank = 1, .is_kept = 0});
  ASSERT_TRUE(net_.until([&] { return answers().size() == 1; }));
  EXPECT_EQ(answers()[0].head<GiveUpRecord>().is_kept, 1U);
  EXPECT_EQ(answers()[0].head<GiveUpRecord>().serial, 7U);
  EXPECT_EQ(net_.peer.one_sided.keys_forgotten, 0U);
  net_.peer.say(Kind::give_up, -1, GiveUpRecord{.serial = 8, .chunk = 13, .rank = 1, .is_kept = 0});
  ASSERT_TRUE(net_.until([&] { return answers().size() == 2; }));
  EXPECT_EQ(answers()[1].head<GiveUpRecord>().is_kept, 0U);
  EXPECT_EQ(net_.peer.one_sided.keys_forgotten, 1U);
  ASSERT_TRUE(put(remote(13), patterned(long_enough)));
  EXPECT_EQ(keys_asked(), 2U);
}

TEST_F(ByEngineTest, one_that_is_in_use_is_given_up_when_that_is_over) {
  const auto given = [&] {
    return std::ranges::count_if(net_.peer.seen(Kind::given_up), [](const Peer::Seen& one) {
      return one.head<GiveUpRecord>().is_kept == 0;
    });
  };
  net_.peer.one_sided.is_held_back = true;
  Bytes got(long_enough);
  detail::Request* const request = get(got, remote(14), Finish::later);
  for (std::uint64_t serial = 1; serial <= 2; ++serial)
    net_.peer.say(Kind::give_up, -1,
                  GiveUpRecord{.serial = serial, .chunk = 14, .rank = 1, .is_kept = 0});
  net_.peer.say(Kind::key, 1, KeyRecord{1, 15});  // which is answered behind those
  ASSERT_TRUE(net_.until([&] { return net_.peer.seen(Kind::keyed).size() == 1; }));
  EXPECT_EQ(given(), 0);
  EXPECT_EQ(net_.peer.one_sided.keys_forgotten, 0U);
  net_.peer.one_sided.is_held_back = false;
  EXPECT_TRUE(net_.until([&] { return given() == 1; }));
  EXPECT_TRUE(request->is_complete(*request));
  EXPECT_EQ(net_.peer.one_sided.keys_forgotten, 1U);
  request->release(*request);
}

TEST_F(ByEngineTest, where_there_is_no_room_now_records_go_and_it_is_asked_again) {
  key_ = Bytes(no_room_now.size());
  for (int i = 0; i < 17; ++i) EXPECT_FALSE(put(remote(16), patterned(long_enough)));
  EXPECT_EQ(keys_asked(), 2U);
  key_ = Bytes(8);
  bool is_by_engine = false;
  for (int i = 0; i < 17 && !is_by_engine; ++i)
    is_by_engine = put(remote(16), patterned(long_enough));
  EXPECT_TRUE(is_by_engine);
  EXPECT_EQ(keys_asked(), 3U);
}

/// The engine reads and writes the caller's memory, which it may have to register, too.
TEST_F(ByEngineTest, what_finds_no_room_here_goes_by_records) {
  const Bytes data = patterned(long_enough);
  ASSERT_TRUE(put(remote(17), data));
  net_.peer.one_sided.has_room_here = false;
  EXPECT_FALSE(put(remote(17), data));
  EXPECT_EQ(net_.peer.lent_bytes, std::vector<std::size_t>{long_enough});
  detail::Request* const request = start_good(
      operation_on(Verb::put, Rank(1), {remote(17), data.data(), data.size()}, {}), Finish::later);
  if (request != nullptr) {
    EXPECT_TRUE(net_.until([&] { return request->is_complete(*request); }));
    request->release(*request);
  }
  {
    const std::lock_guard locked(network()->links().lock());
    EXPECT_FALSE(network()->engine_parts().any());
  }
  net_.peer.one_sided.has_room_here = true;
  EXPECT_TRUE(put(remote(17), data));
  EXPECT_FALSE(network()->link_to(1).is_lost());
}

/// Tests of this process's own memory, of which one chunk may be registered.
class RegisteredMemoryTest : public ByEngineTest {
 protected:
  RegisteredMemoryTest() {
    const std::lock_guard locked(network()->links().lock());
    end_registrations();
    before_ = std::exchange(registered_memory().bytes_max, chunk);
  }
  ~RegisteredMemoryTest() override { registered_memory().bytes_max = before_; }
  /// The bytes of the key that the peer is told of a chunk.
  std::size_t ask(std::uint64_t number) {
    const std::size_t before = net_.peer.seen(Kind::keyed).size();
    net_.peer.say(Kind::key, 1, KeyRecord{1, number});
    EXPECT_TRUE(net_.until([&] { return net_.peer.seen(Kind::keyed).size() > before; }));
    return net_.peer.seen(Kind::keyed).back().body.size() - sizeof(std::uint64_t);
  }
  /// Answers the last question for a key, as others than the peer's engine do.
  void answer(bool is_kept, std::uint64_t other_serial = 0) {
    GiveUpRecord answer = asked_back().back().head<GiveUpRecord>();
    answer.is_kept = is_kept ? 1 : 0;
    answer.serial += other_serial;
    net_.peer.say(Kind::given_up, -1, answer);
    EXPECT_TRUE(net_.until([&] { return net_.peer.is_heard_out(); }));
    const std::lock_guard locked(network()->links().lock());  // another thread may be at it
  }
  std::vector<Peer::Seen> asked_back() { return net_.peer.seen(Kind::give_up); }
  const space::NetworkCounters& counters() { return net_.mapping().process_slot(0).network; }
  bool is_registered(std::uint64_t number) {
    return std::ranges::any_of(net_.peer.one_sided.memories, [&](std::span<std::byte> one) {
      return one.data() == net_.mapping().segment(0) + number * chunk;
    });
  }
  std::uint64_t before_ = 0;
};

TEST_F(RegisteredMemoryTest, no_more_is_registered_than_may_be) {
  EXPECT_EQ(ask(21), 8U);
  EXPECT_EQ(ask(21), 8U);
  EXPECT_EQ(ask(22), no_room_now.size());
  EXPECT_FALSE(is_registered(22));
  EXPECT_EQ(registered_memory().bytes, chunk);
  EXPECT_EQ(counters().registered, 1U);
  EXPECT_EQ(counters().reused, 1U);
  EXPECT_EQ(counters().refused, 1U);
}

TEST_F(RegisteredMemoryTest, what_nobody_uses_makes_room) {
  ASSERT_EQ(ask(21), 8U);
  ASSERT_EQ(ask(22), no_room_now.size());
  ASSERT_EQ(asked_back().size(), 1U);
  EXPECT_EQ(asked_back()[0].head<GiveUpRecord>().chunk, 21U);
  EXPECT_EQ(asked_back()[0].head<GiveUpRecord>().rank, 0);
  EXPECT_EQ(ask(21), no_room_now.size());  // it is about to leave
  EXPECT_TRUE(is_registered(21));          // somebody has its key
  answer(false, 1);                        // of another registration
  EXPECT_TRUE(is_registered(21));
  answer(false);
  EXPECT_FALSE(is_registered(21));
  EXPECT_EQ(counters().evicted, 1U);
  EXPECT_EQ(registered_memory().bytes, 0U);
  EXPECT_EQ(ask(22), 8U);
  EXPECT_TRUE(is_registered(22));
}

TEST_F(RegisteredMemoryTest, what_is_in_use_stays) {
  ASSERT_EQ(ask(21), 8U);
  ASSERT_EQ(ask(22), no_room_now.size());
  answer(true);
  EXPECT_TRUE(is_registered(21));
  EXPECT_EQ(ask(21), 8U);
  EXPECT_EQ(counters().evicted, 0U);
  EXPECT_EQ(registered_memory().leaving, 0U);
}

TEST_F(RegisteredMemoryTest, who_is_gone_holds_nothing) {
  ASSERT_EQ(ask(21), 8U);
  ASSERT_EQ(ask(22), no_room_now.size());
  {
    const std::lock_guard locked(network()->links().lock());
    forget_holder(1);
  }
  EXPECT_FALSE(is_registered(21));
  EXPECT_EQ(ask(22), 8U);
}

TEST_F(RegisteredMemoryTest, who_has_said_good_bye_holds_nothing) {
  ASSERT_EQ(ask(21), 8U);
  ASSERT_EQ(ask(22), no_room_now.size());  // asked back, and never answered
  net_.peer.say(transport::Kind::bye, -1);
  EXPECT_EQ(ask(22), 8U);
  EXPECT_FALSE(is_registered(21));
  EXPECT_EQ(counters().evicted, 1U);
}

/// The first word finds no room, so nothing is measured. The next one is the probe.
TEST_F(ByEngineTest, a_word_that_finds_no_room_leaves_the_choice_open) {
  choose_protocols({.long_pieces = true, .words = true});
  const auto get_word = [&](std::byte* from) {
    std::uint64_t word = 0;
    (void)start_good(operation_on(Verb::get, Rank(1), {&word, from, sizeof word}, {.call = "get"}),
                     Finish::now);
  };
  const auto on_key = net_.peer.on_record;
  net_.peer.on_record = [this, on_key](const Peer::Seen& seen) {
    on_key(seen);
    if (!seen.is(Kind::get)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // slower than the engine
    struct {
      std::uint64_t request, word;
    } answer{seen.head<GetRecord>().request, 0};
    net_.peer.say(Kind::data, seen.record.to, answer);
  };
  key_ = Bytes(no_room_now.size());
  get_word(remote(30));
  EXPECT_EQ(net_.peer.one_sided.gets, 0U);
  key_ = Bytes(8);
  get_word(remote(31));
  EXPECT_GT(net_.peer.one_sided.gets, 0U);
  const std::size_t probed = net_.peer.seen(Kind::get).size();
  get_word(remote(31));
  EXPECT_EQ(net_.peer.seen(Kind::get).size(), probed);
}

TEST(RegistrableTest, transports_keep_some_of_what_may_be_locked) {
  EXPECT_EQ(registrable(0), 0U);
  EXPECT_EQ(registrable(std::uint64_t{64} << 10), 0U);
  EXPECT_EQ(registrable(std::uint64_t{4} << 20), std::uint64_t{3} << 20);
  EXPECT_EQ(registrable(std::uint64_t{1} << 30), (std::uint64_t{1} << 30) / 8 * 7);
}

}  // namespace
}  // namespace armature::rma
