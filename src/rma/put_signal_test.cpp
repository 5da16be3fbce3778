// Puts with a signal to another node, whose process is the test.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "armature/put.hpp"
#include "armature/signal.hpp"
#include "harness/two_nodes.hpp"
#include "rma/remote_records.hpp"
#include "transport/limits.hpp"

namespace armature::rma {
namespace {

using net::network;
using transport::Limits;

constexpr std::size_t streamed_pieces = 4;
constexpr std::size_t streamed_bytes =
    Limits::first_piece_bytes + (streamed_pieces - 1) * Limits::piece_bytes;

class PutSignalTest : public testing::Test {
 protected:
  PutSignalTest() : net_(options()), source_(streamed_bytes) {
    // Packets are counted: none asks for what is allocated, here or there.
    net_.mapping().header().settings.check_full = 0;
    // All of its memory may be reached.
    net_.peer.on_record = [this](const harness::Peer::Seen& seen) {
      if (seen.is(Kind::check))
        net_.peer.say(Kind::checked, 1,
                      CheckedRecord{.request = seen.head<CheckRecord>().request,
                                    .extent = std::uint64_t{1} << 30});
    };
    signal_set(word(), 0);
    net_.peer.acknowledges = false;
  }

  static net::NetworkOptions options() {
    net::NetworkOptions options = harness::TwoNodes::with(service);
    options.serves = false;
    return options;
  }
  [[nodiscard]] global_ptr<std::byte> place() const {
    const space::Mapping& mapping = net_.mapping();
    return {Rank(1), mapping.segment(1) + mapping.heap_offset()};
  }
  [[nodiscard]] global_ptr<std::uint64_t> word() const {
    return (place() + streamed_bytes).cast<void>().cast<std::uint64_t>();
  }
  [[nodiscard]] std::uint64_t* own_word() const {
    const space::Mapping& mapping = net_.mapping();
    return reinterpret_cast<std::uint64_t*>(mapping.segment(0) + mapping.heap_offset());
  }
  /// How often that wakes rank 0, which says that it sleeps.
  template <class Do>
  [[nodiscard]] std::uint32_t wakes(Do&& act) const {
    space::RankSlot& slot = net_.mapping().slot(0);
    const std::uint32_t before = slot.notifications;
    slot.asleep = 1;
    act();
    slot.asleep = 0;
    return slot.notifications - before;
  }
  /// Packets that have been sent. The last of them wants an acknowledgement.
  [[nodiscard]] static std::uint64_t packets() { return network()->link_to(1).wanting(); }

  harness::TwoNodes net_;
  std::vector<std::byte> source_;
};

TEST_F(PutSignalTest, short_data_and_their_signal_are_one_packet_that_waits_for_nothing) {
  for (const std::size_t bytes : {1U, 8U, 1000U, 8000U}) {
    net_.peer.all_seen.clear();
    const std::uint64_t before = packets();
    put_signal(place(), source_.data(), bytes, {word(), bytes});
    EXPECT_EQ(packets(), before + 1) << bytes;
    ASSERT_EQ(net_.peer.all_seen.size(), 2U) << bytes;
    EXPECT_TRUE(net_.peer.all_seen[0].is(Kind::put));
    EXPECT_TRUE(net_.peer.all_seen[1].is(Kind::signal));
    EXPECT_EQ(net_.peer.all_seen[1].head<SignalRecord>().value, bytes);
  }
}

TEST_F(PutSignalTest, the_signal_of_long_data_leaves_behind_their_last_piece) {
  net_.peer.keeps_lent = true;
  net_.peer.all_seen.clear();
  const std::uint64_t before = packets();
  Handle put = put_signal_async(place(), source_, {word(), 7, SignalOperation::set});
  EXPECT_TRUE(net_.until([&] { return !net_.peer.seen(Kind::signal).empty(); }));
  EXPECT_EQ(net_.peer.seen(Kind::put).size(), streamed_pieces);
  EXPECT_TRUE(net_.peer.all_seen.back().is(Kind::signal));
  EXPECT_EQ(packets(), before + streamed_pieces + 1);
  // Nobody has acknowledged anything, and the engine still reads the source.
  EXPECT_FALSE(put.test());
  net_.peer.keeps_lent = false;
  put.wait();
}

TEST_F(PutSignalTest, a_signal_that_comes_is_set_or_added_and_wakes_a_sleeper) {
  std::uint64_t* const own = own_word();
  const auto come = [&](AtomicCode code, std::uint64_t value) {
    net_.peer.say(Kind::signal, 1,
                  SignalRecord{.address = reinterpret_cast<std::uint64_t>(own),
                               .value = value,
                               .code = code,
                               .unused = 0});
    EXPECT_TRUE(net_.until([&] { return net_.peer.is_heard_out(); }));
  };
  *own = 1;
  EXPECT_EQ(wakes([&] { come(AtomicCode::swap, 5); }), 1U);
  EXPECT_EQ(signal_fetch(own), 5U);
  EXPECT_EQ(wakes([&] { come(AtomicCode::fetch_add, 2); }), 1U);
  EXPECT_EQ(signal_fetch(own), 7U);
}

TEST_F(PutSignalTest, a_signal_on_a_node_wakes_a_sleeper_and_a_put_does_not) {
  std::uint64_t* const own = own_word();
  const global_ptr<std::uint64_t> at(Rank(0), own);
  EXPECT_EQ(wakes([&] { signal_set(at, 5); }), 1U);
  EXPECT_EQ(wakes([&] { put_signal(at + 1, own, 1, {at}); }), 1U);
  EXPECT_EQ(wakes([&] { put(at + 1, 6); }), 0U);
  EXPECT_EQ(own[0], 6U);
  EXPECT_EQ(own[1], 6U);
}

TEST_F(PutSignalTest, a_put_that_comes_wakes_a_sleeper_that_waits_for_a_value) {
  const auto come = [&] {
    struct {
      PutRecord to;
      std::uint64_t value;
    } const put{{reinterpret_cast<std::uint64_t>(own_word())}, 8};
    net_.peer.say(Kind::put, 1, put);
    EXPECT_TRUE(net_.until([&] { return net_.peer.is_heard_out(); }));
  };
  EXPECT_EQ(wakes(come), 0U);
  net_.mapping().slot(0).wait.awaiting = space::Awaiting::value;
  EXPECT_EQ(wakes(come), 1U);
  net_.mapping().slot(0).wait.awaiting = space::Awaiting::nothing;
  EXPECT_EQ(*own_word(), 8U);
}

}  // namespace
}  // namespace armature::rma
