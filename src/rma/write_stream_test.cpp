// Long puts and accumulates to another node, whose engine lets go of what it was lent when the test
// wants it.
#include "rma/write_stream.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "harness/two_nodes.hpp"
#include "net/records.hpp"
#include "rma/protocol.hpp"
#include "transport/limits.hpp"
#include "wait/request.hpp"

namespace armature::rma {
namespace {

using harness::TwoNodes;
using net::network;
using transport::Limits;

constexpr std::size_t kibi = 1024;
constexpr std::size_t pieces_of_long = 4;
constexpr std::size_t long_bytes =
    Limits::first_piece_bytes + (pieces_of_long - 1) * Limits::piece_bytes;
constexpr std::size_t few_bytes = 16 * kibi;

class WriteStreamTest : public testing::Test {
 protected:
  WriteStreamTest() : net_(options()), source_(long_bytes) {}

  static net::NetworkOptions options() {
    net::NetworkOptions options = harness::TwoNodes::with(service);
    options.serves = false;
    return options;
  }

  [[nodiscard]] Handle put(std::size_t bytes) {
    return Handle(start_good(
        operation_on(Verb::put, Rank(1), {net_.mapping().segment(1), source_.data(), bytes}, {}),
        Finish::later));
  }
  [[nodiscard]] std::size_t lent() {
    const std::lock_guard locked(net_.peer.mutex);
    return net_.peer.lent.size();
  }
  [[nodiscard]] static transport::Link& link() { return network()->link_to(1); }

  TwoNodes net_;
  std::vector<std::byte> source_;
};

TEST_F(WriteStreamTest, a_process_has_few_pieces_under_way_however_many_puts_have_begun) {
  net_.peer.keeps_lent = true;
  std::vector<Handle> handles;
  for (int i = 0; i < 50; ++i) handles.push_back(put(long_bytes));
  for (int i = 0; i < 100; ++i) (void)network()->poll();
  EXPECT_EQ(lent(), Limits::pieces_under_way);
  EXPECT_TRUE(std::ranges::none_of(handles, &Handle::test));
  net_.peer.keeps_lent = false;
  wait_all(handles);
  EXPECT_EQ(net_.peer.seen(Kind::put).size(), 50 * pieces_of_long);
  EXPECT_FALSE(link().streams().any());
}

TEST_F(WriteStreamTest, a_short_one_does_not_wait_for_all_of_a_long_one) {
  net_.peer.keeps_lent = true;
  std::vector<Handle> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(put(long_bytes));
  std::byte* const place = net_.mapping().segment(1) + long_bytes;
  handles.emplace_back(start_good(
      operation_on(Verb::put, Rank(1), {place, source_.data(), few_bytes}, {}), Finish::later));
  (void)network()->poll();
  EXPECT_EQ(lent(), Limits::pieces_under_way);
  EXPECT_TRUE(std::ranges::any_of(net_.peer.seen(Kind::put), [&](const auto& seen) {
    return seen.template head<PutRecord>().address == reinterpret_cast<std::uint64_t>(place);
  }));
  net_.peer.keeps_lent = false;
  wait_all(handles);
}

TEST_F(WriteStreamTest, a_rank_has_not_settled_while_one_of_its_own_is_left) {
  net_.peer.keeps_lent = true;
  std::vector<Handle> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(put(long_bytes));
  EXPECT_FALSE(network()->flush().is_over(0));
  net_.peer.keeps_lent = false;
  EXPECT_TRUE(net_.until([] { return network()->flush().is_over(0); }));
  wait_all(handles);
}

TEST_F(WriteStreamTest, a_round_of_polling_sends_a_part_of_very_many) {
  std::vector<Handle> handles;
  for (int i = 0; i < 50; ++i) handles.push_back(put(long_bytes));
  EXPECT_TRUE(network()->poll());  // and is to be called again
  const std::size_t sent = net_.peer.seen(Kind::put).size();
  EXPECT_GT(sent, 0U);
  EXPECT_LE(sent, 64U);
  wait_all(handles);
}

TEST_F(WriteStreamTest, who_begins_more_than_there_may_be_completes_the_oldest_first) {
  net_.peer.keeps_lent = true;
  const auto most = static_cast<std::ptrdiff_t>(Limits::get().pending_max);
  std::vector<Handle> handles;
  for (std::ptrdiff_t i = 0; i < most; ++i) handles.push_back(put(few_bytes));
  EXPECT_EQ(wait::outstanding().operations, most);
  std::thread lets_go([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    net_.peer.keeps_lent = false;
  });
  handles.push_back(put(few_bytes));
  EXPECT_LE(wait::outstanding().operations, most / 2);
  lets_go.join();
  wait_all(handles);
  EXPECT_EQ(wait::outstanding().operations, 0);
  EXPECT_EQ(wait::outstanding().bytes, 0);
}

TEST_F(WriteStreamTest, who_begins_more_bytes_than_there_may_be_waits) {
  wait::Charge large;
  large.begin(Limits::get().pending_bytes_max);
  std::atomic<bool> is_over = false;
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_over = true;
    large.end();
  });
  Handle handle = put(few_bytes);
  EXPECT_TRUE(is_over);
  ends.join();
}

TEST_F(WriteStreamTest, one_that_began_before_all_were_forgotten_does_not_end_another) {
  wait::Charge before, after;
  before.begin(2);
  wait::forget_outstanding();
  after.begin(1);
  before.end();
  EXPECT_EQ(wait::outstanding().operations, 1);
  EXPECT_EQ(wait::outstanding().bytes, 1);
  after.end();
  EXPECT_EQ(wait::outstanding().operations, 0);
}

TEST_F(WriteStreamTest, who_waits_for_room_is_not_passed_by_later_ones) {
  const auto half = Limits::get().pending_max / 2;
  std::vector<wait::Charge> under_way(2 * half);
  for (auto& one : under_way) one.begin(1);
  std::atomic<int> begun = 0;
  const auto begin = [&] {
    wait::make_room_for_operation(1, "put");
    ++begun;
  };
  std::jthread first(begin);
  EXPECT_TRUE(net_.until([] { return wait::somebody_waits_for_room(); }));
  under_way[0].end();  // there is room for one, but not for who waits
  std::jthread second(begin);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(begun, 0);
  for (std::size_t i = 1; i <= half; ++i) under_way[i].end();
  first.join();
  second.join();
  EXPECT_EQ(begun, 2);
  EXPECT_FALSE(wait::somebody_waits_for_room());
}

TEST_F(WriteStreamTest, a_large_one_begins_where_it_has_room_beside_others) {
  const std::size_t most = Limits::get().pending_bytes_max;
  wait::Charge small, other;
  small.begin(most / 4);
  wait::make_room_for_operation(most / 4 * 3, "put");
  other.begin(most / 8);
  std::atomic<int> large = 0, short_ones = 0;
  std::jthread wants_much([&] {
    wait::make_room_for_operation(most / 4 * 3, "put");
    ++large;
  });
  EXPECT_TRUE(net_.until([] { return wait::somebody_waits_for_room(); }));
  // A short operation, which would fit, leaves the large one its place.
  std::jthread wants_little([&] {
    wait::make_room_for_operation(1, "put");
    ++short_ones;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(large + short_ones, 0);
  other.end();
  wants_much.join();
  EXPECT_EQ(large, 1);
  wants_little.join();
  small.end();
}

TEST_F(WriteStreamTest, what_is_called_behind_one_leaves_behind_its_last_piece) {
  net_.peer.keeps_lent = true;
  std::vector<Handle> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(put(long_bytes));
  (void)network()->poll();
  {
    const transport::Links::Lock locked(network()->links().lock());
    network()->rings().put_behind_streams(0, 1);
  }
  net_.mapping().head(1).peer(0).notified.store(1);
  {
    const transport::Links::Lock locked(network()->links().lock());
    network()->rings().look(0, 1, true);
  }
  EXPECT_FALSE(network()->flush().is_over(0));
  (void)network()->poll();
  EXPECT_TRUE(net_.peer.seen(net::Kind::notify).empty());
  net_.peer.keeps_lent = false;
  EXPECT_TRUE(net_.until([&] { return !net_.peer.seen(net::Kind::notify).empty(); }));
  EXPECT_TRUE(net_.peer.all_seen.back().is(net::Kind::notify));
  EXPECT_EQ(net_.peer.seen(Kind::put).size(), 10 * pieces_of_long);
  wait_all(handles);
  // Later notifications do not wait for anything.
  net_.mapping().head(1).peer(0).notified.store(2);
  const transport::Links::Lock locked(network()->links().lock());
  network()->rings().look(0, 1, true);
  EXPECT_EQ(net_.peer.seen(net::Kind::notify).size(), 2U);
}

TEST_F(WriteStreamTest, a_fence_waits_for_those_that_have_begun) {
  std::vector<Handle> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(put(long_bytes));
  network()->flush().to(1, "fence");
  EXPECT_EQ(net_.peer.seen(Kind::put).size(), 10 * pieces_of_long);
  EXPECT_TRUE(std::ranges::all_of(handles, &Handle::test));
}

TEST_F(WriteStreamTest, none_is_sent_to_a_process_that_was_lost) {
  net_.peer.keeps_lent = true;
  std::vector<Handle> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(put(long_bytes));
  (void)network()->poll();
  {
    const transport::Links::Lock locked(network()->links().lock());
    network()->links().give_up(harness::Peer::process, "the test wants it");
  }
  EXPECT_FALSE(link().streams().any());
  EXPECT_EQ(net_.peer.seen(Kind::put).size(), Limits::pieces_under_way);
  net_.peer.keeps_lent = false;
  EXPECT_TRUE(net_.until([&] { return test_all(handles); }));
}

/// Memory of a rank that has rolled back is not touched any more.
TEST_F(WriteStreamTest, those_of_ranks_are_forgotten) {
  net_.peer.keeps_lent = true;
  std::vector<std::byte> place(sizeof(SubarrayWrite));
  Subarray row;
  row.row_bytes = long_bytes;
  auto* const write =
      new (place.data()) SubarrayWrite(Rank(1), net_.mapping().segment(1), source_.data(), row, {});
  write->begin(Network::Start::now);
  EXPECT_EQ(lent(), pieces_of_long);
  std::ranges::fill(place, std::byte{0});  // as memory of a checkpoint
  {
    const transport::Links::Lock locked(network()->links().lock());
    network()->forget_ranks();
  }
  net_.peer.keeps_lent = false;
  EXPECT_TRUE(net_.until([&] { return lent() == 0; }));
  for (int i = 0; i < 10; ++i) (void)network()->poll();
  EXPECT_TRUE(std::ranges::all_of(place, [](std::byte b) { return b == std::byte{0}; }));
}

}  // namespace
}  // namespace armature::rma
