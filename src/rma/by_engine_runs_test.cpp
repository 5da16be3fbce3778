// Strided transfers and lists by the engine's own operations: one for each row or piece.
#include <algorithm>
#include <vector>

#include "harness/by_engine_test.hpp"

namespace armature::rma {
namespace {

using harness::ByEngineTest;
using harness::Bytes;

class ByEngineRunsTest : public ByEngineTest {
 protected:
  /// Rows of a patch that begins at `to`, and on this side at the beginning of the source.
  Operation rows_at(std::byte* to, const Bytes& from, std::size_t rows, std::size_t row_bytes) {
    Operation what = operation_on(Verb::put, Rank(1), {to, from.data(), row_bytes}, {});
    what.subarray.levels = 1;
    what.subarray.counts[0] = rows;
    what.subarray.to_strides[0] = static_cast<std::ptrdiff_t>(2 * row_bytes);
    what.subarray.from_strides[0] = static_cast<std::ptrdiff_t>(row_bytes + 8);
    return what;
  }
  std::uint64_t copied() {
    const space::NetworkCounters& counters = net_.mapping().process_slot(0).network;
    return counters.copied_out + counters.copied_in;
  }
  std::size_t records_of_transfers() {
    std::size_t count = 0;
    for (const Kind kind : {Kind::put, Kind::write, Kind::pieces, Kind::get, Kind::gather})
      count += net_.peer.seen(kind).size();
    return count;
  }
};

TEST_F(ByEngineRunsTest, rows_are_handed_to_the_engine_together_and_nothing_is_packed) {
  constexpr std::size_t rows = 100, row_bytes = 2048;
  const Bytes data = patterned(rows * (row_bytes + 8));
  (void)start_good(rows_at(remote(40), data, rows, row_bytes), Finish::now);
  EXPECT_EQ(net_.peer.one_sided.puts, rows);
  EXPECT_EQ(net_.peer.one_sided.handed_over, 2U);
  EXPECT_EQ(records_of_transfers(), 0U);
  EXPECT_EQ(copied(), 0U);
  for (std::size_t row = 0; row < rows; ++row)
    EXPECT_TRUE(std::equal(remote(40) + row * 2 * row_bytes,
                           remote(40) + row * 2 * row_bytes + row_bytes,
                           data.data() + row * (row_bytes + 8)))
        << row;
}

TEST_F(ByEngineRunsTest, rows_in_two_chunks_use_the_keys_of_both) {
  constexpr std::size_t rows = 100, row_bytes = 2048;
  const Bytes data = patterned(rows * (row_bytes + 8));
  std::byte* const to = remote(42) - 10 * 2 * row_bytes - 1000;  // a row lies in both
  (void)start_good(rows_at(to, data, rows, row_bytes), Finish::now);
  EXPECT_EQ(keys_asked(), 2U);
  EXPECT_EQ(net_.peer.one_sided.puts, rows + 1);
  EXPECT_TRUE(std::equal(to + 10 * 2 * row_bytes, to + 10 * 2 * row_bytes + row_bytes,
                         data.data() + 10 * (row_bytes + 8)));
}

TEST_F(ByEngineRunsTest, short_rows_are_packed) {
  const Bytes data = patterned(std::size_t{2000} * 108);
  (void)start_good(rows_at(remote(44), data, 2000, 100), Finish::now);
  EXPECT_EQ(net_.peer.one_sided.puts, 0U);
  EXPECT_GT(copied(), 0U);
}

TEST_F(ByEngineRunsTest, pieces_of_a_list_are_handed_to_the_engine_together) {
  constexpr std::size_t pieces = 50, piece_bytes = 12 * 1024;  // too long for packets
  const Bytes data = patterned(pieces * piece_bytes * 2);
  std::ranges::copy(data, remote(46));
  Bytes got(pieces * piece_bytes);
  std::vector<void*> to;
  std::vector<const void*> from;
  for (std::size_t i = 0; i < pieces; ++i) {
    to.push_back(got.data() + i * piece_bytes);
    from.push_back(remote(46) + (pieces - i) * piece_bytes * 2 - piece_bytes);
  }
  const Iov list{.to = to, .from = from, .bytes = piece_bytes};
  for (const Finish finish : {Finish::now, Finish::later}) {
    std::ranges::fill(got, std::byte{0});
    detail::Request* const request = start_good(
        operation_on(Verb::get, Rank(1), std::span(&list, 1), {.call = "get_vector"}), finish);
    ASSERT_EQ(request != nullptr, finish == Finish::later);
    if (request != nullptr) {
      EXPECT_TRUE(net_.until([&] { return request->is_complete(*request); }));
      request->release(*request);
    }
    for (std::size_t i = 0; i < pieces; ++i)
      EXPECT_TRUE(std::equal(got.data() + i * piece_bytes, got.data() + (i + 1) * piece_bytes,
                             static_cast<const std::byte*>(from[i])))
          << i;
  }
  EXPECT_EQ(net_.peer.one_sided.gets, 2 * pieces);
  EXPECT_EQ(net_.peer.one_sided.handed_over, 2U);
  EXPECT_EQ(records_of_transfers(), 0U);
  EXPECT_EQ(copied(), 0U);
}

}  // namespace
}  // namespace armature::rma
