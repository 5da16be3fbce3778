// Transfers of an array to another node, whose process is the test: packets are counted.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "armature/array/transfers.hpp"
#include "armature/put.hpp"
#include "harness/two_nodes.hpp"
#include "rma/remote_records.hpp"

namespace armature::detail {
namespace {

using net::network;

class ArrayPacketsTest : public testing::Test {
 protected:
  ArrayPacketsTest() : net_(options()), local_(512) {
    // None asks for what is allocated there, and nothing is acknowledged.
    net_.mapping().header().settings.check_full = 0;
    net_.peer.on_record = [this](const harness::Peer::Seen& seen) {
      if (seen.is(rma::Kind::check))
        net_.peer.say(rma::Kind::checked, 1,
                      rma::CheckedRecord{.request = seen.head<rma::CheckRecord>().request,
                                         .extent = std::uint64_t{1} << 30});
    };
    net_.peer.acknowledges = false;
    put(global_ptr<std::byte>(Rank(1), remote()), std::byte{});  // asks what may be reached
  }

  static net::NetworkOptions options() {
    net::NetworkOptions options = harness::TwoNodes::with(rma::service);
    options.serves = false;
    return options;
  }
  [[nodiscard]] std::byte* remote() const {
    return net_.mapping().segment(1) + net_.mapping().heap_offset();
  }
  [[nodiscard]] std::byte* local() { return reinterpret_cast<std::byte*>(local_.data()); }
  /// Packets that have been sent. The last of them wants an acknowledgement.
  [[nodiscard]] static std::uint64_t packets() { return network()->link_to(1).wanting(); }

  harness::TwoNodes net_;
  std::vector<std::int64_t> local_;
};

/// Rows of four elements: `rows` of them.
ArrayBox box(std::ptrdiff_t first, std::ptrdiff_t rows) {
  ArrayBox box{.remote = first, .local = first, .levels = 2, .level = {}};
  box.level[0] = {.count = 4, .remote_stride = 1, .local_stride = 1};
  box.level[1] = {.count = rows, .remote_stride = 8, .local_stride = 16};
  return box;
}

TEST_F(ArrayPacketsTest, a_box_is_one_packet) {
  ArrayTransfers transfers(ArrayTransfers::Verb::put, sizeof(std::int64_t));
  transfers.add(Rank(1), false, remote(), local(), {box(0, 8)});
  const std::uint64_t before = packets();
  transfers.start();
  EXPECT_EQ(packets(), before + 1);
  EXPECT_EQ(transfers.operations(), 1U);
}

TEST_F(ArrayPacketsTest, several_boxes_for_a_rank_are_one_packet) {
  ArrayTransfers transfers(ArrayTransfers::Verb::put, sizeof(std::int64_t));
  transfers.add(Rank(1), false, remote(), local(), {box(0, 4), box(100, 3), box(200, 2)});
  const std::uint64_t before = packets();
  transfers.start();
  EXPECT_EQ(packets(), before + 1);
}

TEST_F(ArrayPacketsTest, single_elements_for_a_rank_are_one_packet) {
  ArrayTransfers transfers(ArrayTransfers::Verb::put, sizeof(std::int64_t));
  std::vector<std::byte*> to, from;
  for (std::ptrdiff_t i = 0; i < 20; ++i) {
    to.push_back(remote() + 8 * (i * i));
    from.push_back(local() + 8 * i);
  }
  transfers.add_elements(Rank(1), to, from);
  const std::uint64_t before = packets();
  transfers.start();
  EXPECT_EQ(packets(), before + 1);
}

TEST_F(ArrayPacketsTest, a_box_that_is_added_up_is_one_packet) {
  const double one = 1;
  ArrayTransfers transfers(ArrayTransfers::Verb::accumulate, sizeof(double));
  transfers.accumulate_by(Element::float64, &one);
  transfers.add(Rank(1), false, remote(), local(), {box(0, 8)});
  const std::uint64_t before = packets();
  transfers.start();
  EXPECT_EQ(packets(), before + 1);
}

}  // namespace
}  // namespace armature::detail
