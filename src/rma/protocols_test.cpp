#include <array>
#include <string>

#include <gtest/gtest.h>

#include "harness/two_nodes.hpp"
#include "rma/protocol.hpp"
#include "rma/remote_records.hpp"
#include "transport/limits.hpp"

namespace armature::rma {
namespace {

/// Rank 0 is of this node, rank 1 of another.
class ProtocolsTest : public testing::Test {
 protected:
  ~ProtocolsTest() override { choose_protocols({}); }

  static std::string of(Verb verb, Rank rank, std::size_t bytes, Finish finish = Finish::now) {
    return protocol_of(operation_on(verb, rank, {nullptr, nullptr, bytes}, {}),
                       {.is_remote = rank == Rank(1)}, finish)
        .name;
  }
  static std::string of_rows(Verb verb, std::size_t rows, std::size_t row_bytes) {
    Operation what = operation_on(verb, Rank(1), {nullptr, nullptr, row_bytes}, {});
    what.subarray.levels = 1;
    what.subarray.counts[0] = rows;
    return protocol_of(what, {.is_remote = true}, Finish::now).name;
  }
  static std::string of_pieces(std::size_t bytes, Finish finish) {
    static std::array<void*, 100> to{};
    static std::array<const void*, 100> from{};
    const Iov pieces{to, from, bytes};
    return protocol_of(operation_on(Verb::put, Rank(1), {&pieces, 1}, {}), {.is_remote = true},
                       finish)
        .name;
  }

  const std::size_t copied_ = transport::Limits::get().copied_max;
  const std::size_t whole_ = transport::Limits::get().one_sided_min();
  harness::TwoNodes net_{harness::TwoNodes::with(service)};
};

TEST_F(ProtocolsTest, of_a_node_all_are_loads_and_stores) {
  for (const Verb verb : {Verb::put, Verb::get, Verb::add})
    for (const std::size_t bytes : {std::size_t{8}, copied_ + 1, whole_})
      EXPECT_EQ(of(verb, Rank(0), bytes), "load/store");
}

TEST_F(ProtocolsTest, between_nodes_the_short_are_copied_and_the_long_are_not) {
  for (const Verb verb : {Verb::put, Verb::get, Verb::add}) {
    EXPECT_EQ(of(verb, Rank(1), copied_), "packet");
    EXPECT_EQ(of(verb, Rank(1), copied_ + 1), "zero copy");
    EXPECT_EQ(of(verb, Rank(1), whole_), "zero copy");
    EXPECT_EQ(of_rows(verb, 2, copied_ / 2), "packet");
    EXPECT_EQ(of_rows(verb, 3, copied_ / 2), "zero copy");
  }
}

TEST_F(ProtocolsTest, short_pieces_of_a_list_are_copied_at_once_by_who_waits_anyway) {
  EXPECT_EQ(of_pieces(8, Finish::later), "packet");
  EXPECT_EQ(of_pieces(8 * 1024, Finish::later), "zero copy");
  EXPECT_EQ(of_pieces(8 * 1024, Finish::now), "packet");
  EXPECT_EQ(of_pieces(1024 * 1024, Finish::now), "zero copy");
}

TEST_F(ProtocolsTest, the_engine_moves_what_is_long_and_in_long_rows_where_it_can) {
  choose_protocols({.long_pieces = true});
  EXPECT_EQ(of(Verb::put, Rank(1), whole_), "engine");
  EXPECT_EQ(of(Verb::get, Rank(1), whole_), "engine");
  EXPECT_EQ(of(Verb::put, Rank(1), whole_ - 1), "zero copy");
  EXPECT_EQ(of(Verb::add, Rank(1), whole_), "zero copy");
  EXPECT_EQ(of_rows(Verb::put, 2, whole_), "engine");
  EXPECT_EQ(of_rows(Verb::get, 100, 1024), "engine");
  EXPECT_EQ(of_rows(Verb::put, 100, 1023), "zero copy");
  EXPECT_EQ(of_rows(Verb::put, 63, 1024), "zero copy");
  EXPECT_EQ(of_rows(Verb::add, 2, whole_), "zero copy");
  EXPECT_EQ(of(Verb::put, Rank(0), whole_), "load/store");
}

TEST_F(ProtocolsTest, words_may_be_the_engines_and_what_is_as_short_is_copied) {
  EXPECT_EQ(of(Verb::get, Rank(1), 8), "packet");
  choose_protocols({.words = true});
  EXPECT_EQ(of(Verb::put, Rank(1), 8), "engine word");
  EXPECT_EQ(of(Verb::get, Rank(1), 8), "engine word");
  EXPECT_EQ(of(Verb::add, Rank(1), 8), "packet");
  EXPECT_EQ(of(Verb::get, Rank(1), 16), "packet");
  EXPECT_EQ(of(Verb::get, Rank(1), 4), "packet");
  EXPECT_EQ(of(Verb::get, Rank(0), 8), "load/store");
  EXPECT_EQ(of_pieces(8, Finish::now), "packet");
}

}  // namespace
}  // namespace armature::rma
