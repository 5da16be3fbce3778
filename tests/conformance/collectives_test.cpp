#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>

#include "conformance.hpp"

// Data from one to all, all to one, all to all. Sizes lie around what a round shows inline (48
// bytes), around 64 KiB, and beyond a mebibyte. Reductions have their own file.

using namespace conformance;

namespace {

const std::size_t sizes[] = {0, 1, 8, 47, 48, 49, 1000, 65535, 65536, 65537, (1 << 20) + 5};

using Bytes = std::vector<std::uint8_t>;
Bytes sent_by(int rank, std::size_t bytes) {
  return patterned(bytes, bytes + 31 * static_cast<std::size_t>(rank));
}

struct Odd {
  std::uint8_t bytes[13];
  bool operator==(const Odd&) const = default;
};

}  // namespace

TEST(Collectives, barrier_lets_nobody_out_before_everybody_is_in) {
  auto entered = world().allocate<int>(1);
  for (int round = 1; round <= 200; ++round) {
    entered[0] = round;
    world().barrier();
    for (int rank = 0; rank < ranks(); ++rank) ASSERT_GE(armature::get(entered.on(rank)), round);
    world().barrier();
  }
  world().free(entered);
}

TEST(Collectives, broadcast_from_every_root_in_every_size) {
  for (const std::size_t bytes : sizes) {
    for (int root = 0; root < ranks(); ++root) {
      Bytes data = me() == root ? sent_by(root, bytes) : Bytes(bytes, 0xee);
      broadcast(world(), std::span(data), root);
      EXPECT_EQ(data, sent_by(root, bytes)) << bytes << " from " << root;
    }
  }
}

/// A view by itself would mean nothing to others.
template <class T>
concept IsBroadcast = requires(const armature::Team& team, T value) {
  (void)broadcast(team, value, 0);
  (void)allgather(team, value);
};
static_assert(IsBroadcast<int> && IsBroadcast<Odd>);
static_assert(!IsBroadcast<std::string_view> && !IsBroadcast<std::span<int, 3>>);

TEST(Collectives, broadcast_of_a_value) {
  for (int root = 0; root < ranks(); ++root) {
    EXPECT_EQ(broadcast(world(), me() * 3 + 1, root), root * 3 + 1);
    EXPECT_EQ(broadcast(world(), 0.5 * me(), root), 0.5 * root);
    const Odd odd = broadcast(world(), Odd{{static_cast<std::uint8_t>(me())}}, root);
    EXPECT_EQ(odd.bytes[0], root);
  }
}

TEST(Collectives, allgather_of_values) {
  const auto all = allgather(world(), std::int64_t{1} << me());
  ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks()));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], std::int64_t{1} << i);
  const auto odds = allgather(world(), Odd{{1, static_cast<std::uint8_t>(me())}});
  for (std::size_t i = 0; i < odds.size(); ++i) EXPECT_EQ(odds[i].bytes[1], i);
}

TEST(Collectives, gather_and_scatter_of_values) {
  for (int root = 0; root < ranks(); ++root) {
    auto all = gather(world(), me() * 5 + root, root);
    EXPECT_EQ(all.size(), me() == root ? static_cast<std::size_t>(ranks()) : 0);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int>(i) * 5 + root);
    for (int& one : all) ++one;
    EXPECT_EQ(scatter(world(), std::span<const int>(all), root), me() * 5 + root + 1);
  }
}

TEST(Collectives, scatter_from_every_root_in_every_size) {
  for (const std::size_t bytes : sizes) {
    for (int root = 0; root < ranks(); ++root) {
      Bytes all, mine(bytes, 0xee);
      for (int rank = 0; me() == root && rank < ranks(); ++rank) {
        const Bytes block = sent_by(rank + root, bytes);
        all.insert(all.end(), block.begin(), block.end());
      }
      scatter(world(), std::span<const std::uint8_t>(all), std::span(mine), root);
      EXPECT_EQ(mine, sent_by(me() + root, bytes)) << bytes << " from " << root;
    }
  }
}

TEST(Collectives, allgather_concatenates_in_every_size) {
  for (const std::size_t bytes : sizes) {
    const Bytes mine = sent_by(me(), bytes);
    Bytes all(bytes * static_cast<std::size_t>(ranks()));
    allgather(world(), std::span<const std::uint8_t>(mine), std::span(all));
    for (int rank = 0; rank < ranks(); ++rank) {
      const auto part = std::span(all).subspan(bytes * static_cast<std::size_t>(rank), bytes);
      EXPECT_TRUE(std::ranges::equal(part, sent_by(rank, bytes))) << bytes << " of " << rank;
    }
  }
}

TEST(Collectives, gather_concatenates_at_every_root_only) {
  for (const std::size_t bytes : sizes) {
    for (int root = 0; root < ranks(); ++root) {
      const Bytes mine = sent_by(me(), bytes);
      Bytes all(me() == root ? bytes * static_cast<std::size_t>(ranks()) : 3, 0xee);
      gather(world(), std::span<const std::uint8_t>(mine), std::span(all), root);
      if (me() != root) {
        EXPECT_EQ(all, Bytes(3, 0xee));
        continue;
      }
      for (int rank = 0; rank < ranks(); ++rank) {
        const auto part = std::span(all).subspan(bytes * static_cast<std::size_t>(rank), bytes);
        EXPECT_TRUE(std::ranges::equal(part, sent_by(rank, bytes))) << bytes << " of " << rank;
      }
    }
  }
}

TEST(Collectives, alltoall_exchanges_blocks_of_every_size) {
  for (const std::size_t bytes : sizes) {
    const auto n = static_cast<std::size_t>(ranks());
    Bytes mine;
    for (int to = 0; to < ranks(); ++to) {
      const Bytes block = patterned(bytes, static_cast<std::size_t>(1000 * me() + to));
      mine.insert(mine.end(), block.begin(), block.end());
    }
    Bytes all(bytes * n, 0xee);
    alltoall(world(), std::span<const std::uint8_t>(mine), std::span(all));
    for (std::size_t from = 0; from < n; ++from) {
      const Bytes block = patterned(bytes, 1000 * from + static_cast<std::size_t>(me()));
      EXPECT_TRUE(std::ranges::equal(std::span(all).subspan(bytes * from, bytes), block))
          << bytes << " from " << from;
    }
  }
}

TEST(Collectives, kinds_may_follow_each_other_without_a_barrier) {
  for (int round = 0; round < 100; ++round) {
    const int root = round % ranks();
    ASSERT_EQ(broadcast(world(), round + me(), root), round + root);
    ASSERT_EQ(allreduce(world(), 1), ranks());
    ASSERT_EQ(allgather(world(), round).size(), static_cast<std::size_t>(ranks()));
    ASSERT_EQ(scan(world(), 1), me() + 1);
    std::vector<int> big(20000, round);
    broadcast(world(), std::span(big), root);
    ASSERT_EQ(big.back(), round);
  }
}

TEST(Collectives, slow_ranks_lose_nothing) {
  for (int slow = 0; slow < std::min(ranks(), 4); ++slow) {
    if (me() == slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(broadcast(world(), me() + i, 0), i);
      ASSERT_EQ(allreduce(world(), i), i * ranks());
    }
  }
}

TEST(Collectives, buffers_may_lie_in_global_memory) {
  auto piece = world().allocate<int>(100);
  auto all = world().allocate<int>(100 * static_cast<std::size_t>(ranks()));
  std::ranges::fill(piece.local(), me());
  allgather(world(), std::span<const int>(piece.local()), all.local());
  for (int rank = 0; rank < ranks(); ++rank)
    EXPECT_EQ(all[100 * static_cast<std::size_t>(rank) + 99], rank);
  allreduce(world(), piece.local());
  EXPECT_EQ(piece[50], ranks() * (ranks() - 1) / 2);
  world().free(piece);
  world().free(all);
}

TEST(Collectives, puts_before_a_collective_are_not_disturbed_by_it) {
  auto piece = world().allocate<int>(1000);
  armature::put(piece.on(right()), std::vector<int>(1000, me()));
  std::vector<int> data(5000, 1);
  allreduce(world(), std::span(data));
  EXPECT_EQ(data.back(), ranks());
  world().barrier();
  EXPECT_EQ(piece[999], left());
  world().barrier();
  world().free(piece);
}

TEST(Collectives, roots_there_are_not_are_errors) {
  using armature::Errc;
  std::vector<int> data(3);
  for (const int root : {-1, ranks(), 1 << 30}) {
    expect_error(Errc::bad_rank, {"broadcast"}, [&] { broadcast(world(), std::span(data), root); });
    expect_error(Errc::bad_rank, {"broadcast"}, [&] { (void)broadcast(world(), 1, root); });
    expect_error(Errc::bad_rank, {"reduce"}, [&] { reduce(world(), std::span(data), root); });
    expect_error(Errc::bad_rank, {"gather"},
                 [&] { gather(world(), std::span<const int>(data), std::span<int>{}, root); });
    expect_error(Errc::bad_rank, {"scatter"},
                 [&] { (void)scatter(world(), std::span<const int>(data), root); });
  }
  EXPECT_EQ(allreduce(world(), 1), ranks());
}

TEST(Collectives, buffers_of_the_wrong_size_are_errors) {
  using armature::Errc;
  const std::vector<int> mine(3);
  std::vector<int> all(3 * static_cast<std::size_t>(ranks()) + 1);
  expect_error(Errc::bad_argument, {"allgather"},
               [&] { allgather(world(), std::span<const int>(mine), std::span(all)); });
  expect_error(Errc::bad_argument, {"alltoall"},
               [&] { alltoall(world(), std::span<const int>(mine), std::span(all)); });
  expect_error(Errc::bad_argument, {"scatter"},
               [&] { scatter(world(), std::span<const int>(all), std::span(all).first(3), me()); });
  EXPECT_EQ(allreduce(world(), 1), ranks());
}

TEST(Collectives, a_disagreement_about_counts_that_is_noticed_is_noticed_by_all) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  std::vector<int> data(me() == 0 ? 4 : 8);
  const auto error = caught([&] { allreduce(world(), std::span(data)); });
  const auto all = allgather(world(), error.has_value() ? 1 : 0);
  EXPECT_EQ(std::ranges::count(all, all[0]), ranks());
  if (error) {
    EXPECT_EQ(static_cast<int>(error->code), static_cast<int>(armature::Errc::bad_argument));
    EXPECT_NE(error->message.find("allreduce"), std::string::npos) << error->message;
  }
}

/// A call and a barrier. Members that do not need each other in the call notice in the barrier.
template <class F>
auto and_meet(F&& f) {
  return [f] {
    f();
    world().barrier();
  };
}

TEST(Collectives, a_disagreement_about_the_root_is_noticed_by_all) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  const int root = me() == 0 ? 0 : 1;
  const std::vector<int> all(static_cast<std::size_t>(ranks()));
  using armature::Errc;
  const auto expect = [](auto&& f) {
    expect_error(Errc::bad_argument, {"disagree"}, and_meet(f));
    EXPECT_EQ(allreduce(world(), 1), ranks());
  };
  expect([&] { (void)broadcast(world(), 1, root); });
  expect([&] { (void)gather(world(), 1, root); });
  expect([&] { (void)scatter(world(), std::span(all), root); });
  expect([&] { (void)reduce(world(), 1, root); });
}

TEST(Collectives, which_collective_it_is_is_noticed) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  using armature::Errc;
  expect_error(Errc::bad_argument, {"disagree"}, and_meet([&] {
                 (void)(me() == 0 ? scan(world(), 1) : exclusive_scan(world(), 1, 0));
               }));
  expect_error(
      Errc::bad_argument, {"disagree", "a reduce of 4 bytes", "an allreduce of 4 bytes"},
      and_meet([&] { (void)(me() == 0 ? reduce(world(), 1, 0) : allreduce(world(), 1)); }));
  EXPECT_EQ(allreduce(world(), 1), ranks());
}

// A range whose elements lie one behind the other stands for their span.
TEST(Collectives, vectors_and_arrays_are_taken_as_their_elements) {
  const auto n = static_cast<std::size_t>(ranks());
  std::vector<int> numbers = {me(), 1};
  allreduce(world(), numbers);
  EXPECT_EQ(numbers, (std::vector<int>{ranks() * (ranks() - 1) / 2, ranks()}));
  std::array<long, 2> pair = {me(), -me()};
  allreduce(world(), pair);
  EXPECT_EQ(pair[1], -ranks() * (ranks() - 1) / 2);
  // An array that can be compared is one value, as it always was.
  EXPECT_EQ(allreduce(world(), std::array{me(), 7}, armature::Maximum()),
            (std::array{ranks() - 1, 7}));
  long plain[3] = {1, 2, 3};
  allreduce(world(), plain);
  EXPECT_EQ(plain[2], 3 * ranks());

  std::vector<int> mine = {me(), 10 * me()}, all(2 * n);
  allgather(world(), mine, all);
  for (int rank = 0; rank < ranks(); ++rank)
    EXPECT_EQ(all[2 * static_cast<std::size_t>(rank) + 1], 10 * rank);
  std::vector<int> told = {me(), me()};
  broadcast(world(), told, ranks() - 1);
  EXPECT_EQ(told, (std::vector<int>{ranks() - 1, ranks() - 1}));
  std::vector<int> here(2);
  scatter(world(), all, here, 0);
  EXPECT_EQ(here, mine);
  std::vector<int> there(me() == 0 ? 2 * n : 0);
  gather(world(), here, there, 0);
  if (me() == 0) EXPECT_EQ(there, all);
  std::vector<int> sum = {1};
  scan(world(), sum);
  EXPECT_EQ(sum[0], me() + 1);
  exclusive_scan(world(), sum, 0);
  EXPECT_EQ(sum[0], me() * (me() + 1) / 2);
  reduce(world(), numbers, 0, armature::Minimum());
}
