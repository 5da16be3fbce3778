#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "harness/two_nodes.hpp"
#include "rma/engine_transfer.hpp"
#include "rma/pending_requests.hpp"
#include "rma/protocol.hpp"
#include "rma/remote_records.hpp"

namespace armature::rma {
namespace {

using harness::Bytes;
using harness::Peer;
using harness::TwoNodes;
using net::network;

constexpr std::size_t chunk = std::size_t{16} << 20;
constexpr std::size_t long_enough = std::size_t{128} << 10;

Bytes patterned(std::size_t bytes) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + 1);
  return data;
}

/// Keys are remembered by the process: each test uses chunks of its own, and is run once in it.
class ByEngineTest : public testing::Test {
 protected:
  ByEngineTest() {
    net_.peer.one_sided.is_offered = true;
    choose_protocols({.long_pieces = true});
    net_.peer.on_record = [this](const Peer::Seen& seen) {
      if (!seen.is(Kind::key)) return;
      struct {
        std::uint64_t request;
        std::byte key[8];
      } answer{seen.head<KeyRecord>().request, {}};
      net_.peer.say(Kind::keyed, seen.record.to, &answer, has_keys_ ? sizeof answer : 8);
    };
  }
  ~ByEngineTest() override { choose_protocols({}); }
  std::byte* remote(std::size_t number) { return net_.mapping().segment(1) + number * chunk; }
  /// Whether the engine did all of it.
  bool put(std::byte* to, const Bytes& data) {
    const std::size_t before = net_.peer.one_sided.puts;
    (void)start_good(operation_on(Verb::put, Rank(1), {to, data.data(), data.size()}, {}),
                     Finish::now);
    return net_.peer.one_sided.puts > before;
  }
  detail::Request* get(Bytes& to, const std::byte* from, Finish finish) {
    return start_good(
        operation_on(Verb::get, Rank(1), {to.data(), from, to.size()}, {.call = "get"}), finish);
  }
  std::size_t keys_asked() { return net_.peer.seen(Kind::key).size(); }

  bool has_keys_ = true;
  TwoNodes net_{harness::TwoNodes::with(service)};
};

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
  has_keys_ = false;
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

TEST_F(ByEngineTest, no_more_is_registered_than_may_be_locked) {
  RegisteredMemory& all = registered_memory();
  const RegisteredMemory before = all;
  {
    const std::lock_guard locked(network()->links().lock());
    all.bytes_max = all.bytes + chunk;
  }
  const auto answers = [&] { return net_.peer.seen(Kind::keyed); };
  const std::uint64_t wanted[] = {21, 21, 22, 22};  // chunks: the second of them is too much
  for (const std::uint64_t number : wanted) net_.peer.say(Kind::key, 1, KeyRecord{1, number});
  ASSERT_TRUE(net_.until([&] { return answers().size() == std::size(wanted); }));
  for (std::size_t i = 0; i < std::size(wanted); ++i)
    EXPECT_EQ(answers()[i].body.size() > sizeof(std::uint64_t), wanted[i] == 21) << i;
  const std::lock_guard locked(network()->links().lock());
  EXPECT_EQ(all.bytes, before.bytes + chunk);
  EXPECT_EQ(all.registered, before.registered + 1);
  EXPECT_EQ(all.reused, before.reused + 1);
  EXPECT_EQ(all.refused, before.refused + 1);
  all.bytes_max = before.bytes_max;
}

}  // namespace
}  // namespace armature::rma
