// How often each way of a transfer copies its bytes here: at most once where they are buffered, and
// not at all where they are lent or the engine moves them (armci-rma-2006, 5.1).
#include "rma/copied.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "base/runtime.hpp"
#include "harness/two_nodes.hpp"
#include "rma/protocol.hpp"
#include "rma/remote_records.hpp"

namespace armature::rma {
namespace {

using harness::Bytes;
using harness::Peer;
using harness::TwoNodes;
using net::network;

constexpr std::size_t kibibyte = 1024, bytes_of_short = 4 * kibibyte,
                      bytes_of_long = 504 * kibibyte;

class CopiedTest : public testing::Test {
 protected:
  [[nodiscard]] std::byte* remote() { return net_.mapping().segment(1); }
  [[nodiscard]] std::byte* here() const { return here_; }
  [[nodiscard]] std::uint64_t out() const { return counters().copied_out; }
  [[nodiscard]] std::uint64_t in() const { return counters().copied_in; }
  /// Puts rows of which every second row here is one.
  void put_rows(std::size_t rows, std::size_t row_bytes) {
    Operation what = operation_on(Verb::put, Rank(1), {remote(), source_.data(), row_bytes}, {});
    what.subarray.levels = 1;
    what.subarray.counts[0] = rows;
    what.subarray.to_strides[0] = what.subarray.from_strides[0] =
        static_cast<std::ptrdiff_t>(2 * row_bytes);
    (void)start_good(what, Finish::now);
  }
  void put(std::size_t bytes) {
    (void)start_good(operation_on(Verb::put, Rank(1), {remote(), source_.data(), bytes}, {}),
                     Finish::now);
  }
  /// Bytes of a record that the peer says, behind its head.
  template <class Head>
  void say(Kind kind, const Head& head, std::size_t bytes) {
    Bytes body(sizeof head + bytes, std::byte{7});
    std::memcpy(body.data(), &head, sizeof head);
    net_.peer.say(kind, 1, body.data(), body.size());
  }
  /// Answers a get of this process by packets.
  void answer_gets() {
    net_.peer.on_record = [this](const Peer::Seen& seen) {
      if (!seen.is(Kind::get)) return;
      const auto asked = seen.head<GetRecord>();
      for (std::size_t left = asked.row_bytes; left > 0;) {
        const std::size_t part = std::min(left, 8 * kibibyte);
        say(Kind::data, DataRecord{asked.request}, part);
        left -= part;
      }
    };
  }
  void get(std::size_t bytes) {
    (void)start_good(
        operation_on(Verb::get, Rank(1), {source_.data(), remote(), bytes}, {.call = "get"}),
        Finish::now);
  }
  /// The peer gets 100 rows of 2 KiB here. The engine takes all of them at once.
  void are_asked_for_rows() {
    network()->links().engine().parts_max = 256;
    GetRecord asked{};
    asked.request = 1;
    asked.address = reinterpret_cast<std::uint64_t>(here());
    asked.row_bytes = 2 * kibibyte;
    asked.levels = 1;
    asked.level[0] = {100, 4 * kibibyte};
    net_.peer.say(Kind::get, 1, &asked, offsetof(GetRecord, level) + sizeof asked.level[0]);
  }
  /// Returns the bytes copied for the answer to a get of the peer.
  std::uint64_t copied_for_answer(std::size_t bytes) {
    const std::uint64_t before = out();
    const std::size_t answers = net_.peer.seen(Kind::data).size();
    GetRecord asked{};
    asked.request = 1;
    asked.address = reinterpret_cast<std::uint64_t>(here());
    asked.row_bytes = bytes;
    net_.peer.say(Kind::get, 1, &asked, offsetof(GetRecord, level));
    EXPECT_TRUE(net_.until([&] { return net_.peer.seen(Kind::data).size() > answers; }));
    const std::lock_guard locked(network()->links().lock());  // the first piece may not be the last
    return out() - before;
  }
  [[nodiscard]] const space::NetworkCounters& counters() const {
    return net_.mapping().process_slot(0).network;
  }

  TwoNodes net_{TwoNodes::with(service)};
  Bytes source_ = Bytes(bytes_of_long, std::byte{1});
  space::AddressSpace::Failure failure_;
  std::byte* const here_ = static_cast<std::byte*>(
      net_.space().allocate(bytes_of_long, 64, space::Allocation::Kind::local, failure_));
};

TEST_F(CopiedTest, a_short_put_is_copied_once_a_side) {
  put(bytes_of_short);
  EXPECT_EQ(out(), bytes_of_short);
  say(Kind::put, PutRecord{reinterpret_cast<std::uint64_t>(here())}, bytes_of_short);
  ASSERT_TRUE(net_.until([&] { return in() > 0; }));
  EXPECT_EQ(in(), bytes_of_short);
  EXPECT_EQ(out(), bytes_of_short);
}

TEST_F(CopiedTest, a_long_put_is_lent) {
  put(bytes_of_long);
  EXPECT_EQ(out(), 0U);
}

TEST_F(CopiedTest, short_rows_of_a_long_put_are_packed_once) {
  network()->links().engine().parts_max = 256;
  put_rows(256, 512);
  EXPECT_EQ(out(), 256 * 512U);
}

TEST_F(CopiedTest, longer_ones_are_gathered_by_an_engine_that_does_so) {
  put_rows(126, 2 * kibibyte);
  EXPECT_EQ(out(), 252 * kibibyte);
  network()->links().engine().parts_max = 256;
  put_rows(126, 2 * kibibyte);
  EXPECT_EQ(out(), 252 * kibibyte);
  EXPECT_EQ(net_.peer.parts, std::vector<std::size_t>{126});
}

TEST_F(CopiedTest, so_are_those_of_an_answer) {
  are_asked_for_rows();
  ASSERT_TRUE(net_.until([&] { return !net_.peer.seen(Kind::data).empty(); }));
  const std::lock_guard locked(network()->links().lock());
  EXPECT_EQ(out(), 0U);
  EXPECT_EQ(net_.peer.parts, std::vector<std::size_t>{100});
}

/// While it lives, a runtime of its own where all travels in packets.
class PacketsForced {
 public:
  PacketsForced() { setenv("ARMATURE_NET_PROTOCOL", "packet", 1); }
  PacketsForced(const PacketsForced&) = delete;
  PacketsForced& operator=(const PacketsForced&) = delete;
  ~PacketsForced() { unsetenv("ARMATURE_NET_PROTOCOL"); }

 private:
  base::Runtime runtime_;
  base::UseRuntime use_{runtime_};
};

class CopiedInPacketsTest : private PacketsForced, public CopiedTest {};

TEST_F(CopiedInPacketsTest, rows_of_an_answer_and_one_that_is_whole) {
  are_asked_for_rows();
  ASSERT_TRUE(net_.until([&] { return out() == 200 * kibibyte; }));
  (void)copied_for_answer(bytes_of_long);
  ASSERT_TRUE(net_.until([&] { return out() == 200 * kibibyte + bytes_of_long; }));
  EXPECT_TRUE(net_.peer.parts.empty());
  EXPECT_TRUE(net_.peer.lent_bytes.empty());
}

TEST_F(CopiedTest, the_first_of_several_pieces_is_shorter) {
  put(bytes_of_long);
  EXPECT_EQ(net_.peer.lent_bytes,
            (std::vector<std::size_t>{63 * kibibyte, 252 * kibibyte, 189 * kibibyte}));
  net_.peer.lent_bytes.clear();
  put(252 * kibibyte);
  EXPECT_EQ(net_.peer.lent_bytes, std::vector<std::size_t>{252 * kibibyte});
  net_.peer.lent_bytes.clear();
  (void)copied_for_answer(bytes_of_long);
  ASSERT_TRUE(net_.until([&] { return net_.peer.lent_bytes.size() == 3; }));
  EXPECT_EQ(net_.peer.lent_bytes[0], 63 * kibibyte);
}

TEST_F(CopiedTest, what_was_got_is_copied_once) {
  answer_gets();
  get(bytes_of_short);
  EXPECT_EQ(in(), bytes_of_short);
  get(bytes_of_long);
  EXPECT_EQ(in(), bytes_of_short + bytes_of_long);
  EXPECT_EQ(out(), 0U);
}

TEST_F(CopiedTest, a_short_answer_is_copied_once_and_a_long_one_is_lent) {
  EXPECT_EQ(copied_for_answer(bytes_of_short), bytes_of_short);
  EXPECT_EQ(copied_for_answer(bytes_of_long), 0U);
}

TEST_F(CopiedTest, what_the_engine_moves_is_not_copied) {
  net_.peer.one_sided.is_offered = true;
  choose_protocols({.long_pieces = true});
  net_.peer.on_record = [this](const Peer::Seen& seen) {
    if (seen.is(Kind::key)) say(Kind::keyed, seen.head<KeyRecord>().request, 8);
  };
  put(bytes_of_long);
  get(bytes_of_long);
  choose_protocols({});
  EXPECT_EQ(net_.peer.one_sided.puts, 1U);
  EXPECT_EQ(net_.peer.one_sided.gets, 1U);
  EXPECT_EQ(in() + out(), 0U);
}

}  // namespace
}  // namespace armature::rma
