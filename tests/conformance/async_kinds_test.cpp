#include <algorithm>
#include <numeric>
#include <span>

#include "armature/collectives_async.hpp"
#include "conformance.hpp"

// All kinds of collectives that return at once, and those of blocks that differ in length, against
// what each member can work out by itself.

using namespace conformance;
using armature::Handle;

namespace {

using Ints = std::vector<std::int64_t>;
const std::size_t block_counts[] = {0, 1, 7, 300, 5000, 40'001};

std::int64_t element(int rank, std::size_t i) {
  return static_cast<std::int64_t>(pattern(i, static_cast<std::size_t>(rank) + 3)) - 50;
}
Ints block_of(int rank, std::size_t count, std::size_t from = 0) {
  Ints data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = element(rank, from + i);
  return data;
}
Ints blocks_of_all(std::size_t count) {
  Ints all;
  for (int rank = 0; rank < ranks(); ++rank) {
    const Ints one = block_of(rank, count);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}
Ints sums_of(int begin, int end, std::size_t count, std::int64_t first = 0) {
  Ints data(count, first);
  for (int rank = begin; rank < end; ++rank)
    for (std::size_t i = 0; i < count; ++i) data[i] += element(rank, i);
  return data;
}
std::span<const std::int64_t> read(const Ints& data) { return data; }
std::size_t ranks_count() { return static_cast<std::size_t>(ranks()); }

/// So many elements has a member; some have none.
std::vector<std::size_t> uneven(std::size_t scale) {
  std::vector<std::size_t> counts(ranks_count());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = (i + 1) % 3 * scale + i % 2;
  return counts;
}
std::size_t sum(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}
Ints concatenated(const std::vector<std::size_t>& counts) {
  Ints all;
  for (int rank = 0; rank < ranks(); ++rank) {
    const Ints one = block_of(rank, counts[static_cast<std::size_t>(rank)]);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

/// A map of two numbers, whose composition does not commute.
struct Pair {
  std::uint32_t factor, term;
  bool operator==(const Pair&) const = default;
};
struct After {
  Pair operator()(Pair f, Pair g) const {
    return {f.factor * g.factor, f.term * g.factor + g.term};
  }
};
Pair pair_of(int rank) {
  return {static_cast<std::uint32_t>(2 * rank + 3), static_cast<std::uint32_t>(rank + 1)};
}
Pair composed(int begin, int end, Pair first) {
  for (int rank = begin; rank < end; ++rank) first = After()(first, pair_of(rank));
  return first;
}

}  // namespace

TEST(AsyncKinds, gather_and_scatter_at_every_root) {
  for (const std::size_t count : block_counts) {
    for (int root = 0; root < ranks(); ++root) {
      Ints all(me() == root ? count * ranks_count() : 0, -1), mine(count, -1);
      const Ints own = block_of(me(), count);
      gather_async(world(), read(own), std::span(all), root).wait();
      EXPECT_EQ(all, me() == root ? blocks_of_all(count) : Ints()) << count << " at " << root;
      scatter_async(world(), read(all), std::span(mine), root).wait();
      EXPECT_EQ(mine, own) << count << " from " << root;
    }
  }
}

TEST(AsyncKinds, allgather_in_every_size) {
  for (const std::size_t count : block_counts) {
    Ints all(count * ranks_count(), -1);
    const Ints own = block_of(me(), count);
    allgather_async(world(), read(own), std::span(all)).wait();
    EXPECT_EQ(all, blocks_of_all(count)) << count;
  }
}

TEST(AsyncKinds, a_block_may_be_in_its_place_already) {
  const std::size_t count = 500;
  Ints all(count * ranks_count(), -1);
  const auto own = std::span(all).subspan(count * static_cast<std::size_t>(me()), count);
  std::ranges::copy(block_of(me(), count), own.begin());
  allgather_async(world(), std::span<const std::int64_t>(own), std::span(all)).wait();
  EXPECT_EQ(all, blocks_of_all(count));
  gather_async(world(), std::span<const std::int64_t>(own), std::span(all), 0).wait();
  EXPECT_EQ(all, blocks_of_all(count));
}

TEST(AsyncKinds, alltoall_in_every_size) {
  for (const std::size_t count : block_counts) {
    Ints mine, expected;
    for (int rank = 0; rank < ranks(); ++rank) {
      const Ints to = block_of(me(), count, static_cast<std::size_t>(rank) * count);
      const Ints from = block_of(rank, count, static_cast<std::size_t>(me()) * count);
      mine.insert(mine.end(), to.begin(), to.end());
      expected.insert(expected.end(), from.begin(), from.end());
    }
    Ints all(mine.size(), -1);
    alltoall_async(world(), read(mine), std::span(all)).wait();
    EXPECT_EQ(all, expected) << count;
  }
}

TEST(AsyncKinds, reduce_leaves_the_result_at_every_root_alone) {
  for (const std::size_t count : block_counts) {
    for (int root = 0; root < ranks(); ++root) {
      Ints data = block_of(me(), count);
      reduce_async(world(), std::span(data), root).wait();
      EXPECT_EQ(data, me() == root ? sums_of(0, ranks(), count) : block_of(me(), count));
      std::vector<Pair> pairs(count, pair_of(me()));
      reduce_async(world(), std::span(pairs), root, After()).wait();
      const Pair expected = me() == root ? composed(1, ranks(), pair_of(0)) : pair_of(me());
      EXPECT_EQ(std::ranges::count(pairs, expected), static_cast<std::ptrdiff_t>(count)) << root;
    }
  }
}

TEST(AsyncKinds, scans_are_prefixes_in_team_order) {
  for (const std::size_t count : block_counts) {
    Ints data = block_of(me(), count);
    scan_async(world(), std::span(data)).wait();
    EXPECT_EQ(data, sums_of(0, me() + 1, count));
    data = block_of(me(), count);
    exclusive_scan_async(world(), std::span(data), 1000).wait();
    EXPECT_EQ(data, sums_of(0, me(), count, 1000));
    std::vector<Pair> pairs(count, pair_of(me()));
    exclusive_scan_async(world(), std::span(pairs), Pair{7, 5}, After()).wait();
    EXPECT_EQ(std::ranges::count(pairs, composed(0, me(), Pair{7, 5})),
              static_cast<std::ptrdiff_t>(count));
  }
}

TEST(AsyncKinds, blocks_may_differ_in_length) {
  for (const std::size_t scale : {std::size_t{1}, std::size_t{200}, std::size_t{20'000}}) {
    const auto counts = uneven(scale);
    const Ints own = block_of(me(), counts[static_cast<std::size_t>(me())]);
    Ints all(sum(counts), -1);
    armature::allgatherv(world(), read(own), std::span(all), counts);
    EXPECT_EQ(all, concatenated(counts)) << scale;
    for (int root = 0; root < ranks(); ++root) {
      Ints gathered(me() == root ? sum(counts) : 0, -1), mine(own.size(), -1);
      armature::gatherv(world(), read(own), std::span(gathered), counts, root);
      EXPECT_EQ(gathered, me() == root ? concatenated(counts) : Ints()) << scale << " at " << root;
      armature::scatterv(world(), read(gathered), counts, std::span(mine), root);
      EXPECT_EQ(mine, own) << scale << " from " << root;
    }
  }
}

TEST(AsyncKinds, alltoallv_exchanges_blocks_that_differ) {
  // Member a has (a + 2 b) % 4 times that many elements for member b.
  for (const std::size_t scale : {std::size_t{1}, std::size_t{10'000}}) {
    const auto count = [&](int from, int to) {
      return static_cast<std::size_t>((from + 2 * to) % 4) * scale;
    };
    std::vector<std::size_t> to, from;
    Ints mine, expected;
    for (int rank = 0; rank < ranks(); ++rank) {
      to.push_back(count(me(), rank));
      from.push_back(count(rank, me()));
      const Ints goes = block_of(me() * 31 + rank, to.back());
      const Ints comes = block_of(rank * 31 + me(), from.back());
      mine.insert(mine.end(), goes.begin(), goes.end());
      expected.insert(expected.end(), comes.begin(), comes.end());
    }
    Ints all(expected.size(), -1);
    armature::alltoallv(world(), read(mine), to, std::span(all), from);
    EXPECT_EQ(all, expected) << scale;
  }
}

TEST(AsyncKinds, reduce_scatter_gives_each_member_its_block) {
  for (const std::size_t scale : {std::size_t{1}, std::size_t{300}, std::size_t{10'000}}) {
    const auto counts = uneven(scale);
    const auto me_too = static_cast<std::size_t>(me());
    const std::size_t begin =
        std::accumulate(counts.begin(), counts.begin() + me(), std::size_t{0});
    const Ints data = block_of(me(), sum(counts)), all = sums_of(0, ranks(), sum(counts));
    Ints mine(counts[me_too], -1);
    armature::reduce_scatter(world(), read(data), std::span(mine), counts);
    EXPECT_EQ(mine, Ints(all.begin() + static_cast<std::ptrdiff_t>(begin),
                         all.begin() + static_cast<std::ptrdiff_t>(begin + counts[me_too])));
    const std::vector<Pair> pairs(sum(counts), pair_of(me()));
    std::vector<Pair> own(counts[me_too]);
    armature::reduce_scatter(world(), std::span<const Pair>(pairs), std::span(own), counts,
                             After());
    EXPECT_EQ(std::ranges::count(own, composed(1, ranks(), pair_of(0))), std::ssize(own));
  }
}

TEST(AsyncKinds, counts_that_do_not_fit_are_errors) {
  using armature::Errc;
  const std::vector<std::size_t> counts(ranks_count() + 1, 2);
  const Ints mine(2);
  Ints all(2 * counts.size());
  expect_error(Errc::bad_argument, {"allgatherv"},
               [&] { armature::allgatherv(world(), read(mine), std::span(all), counts); });
  expect_error(Errc::bad_argument, {"alltoallv"},
               [&] { armature::alltoallv(world(), read(mine), counts, std::span(all), counts); });
}

// The member that is wrong alone throws before anything moves. The next call finds all members at
// the same collective again.
TEST(AsyncKinds, a_block_of_its_own_that_does_not_fit_is_an_error) {
  using armature::Errc;
  const std::vector<std::size_t> counts(ranks_count(), 2);
  const int root = ranks() - 1;
  const Ints right(2, me()), longer(10, me());
  Ints all(sum(counts), -1);
  if (me() == root) {
    expect_error(Errc::bad_argument, {"gatherv", "own block"},
                 [&] { armature::gatherv(world(), read(longer), std::span(all), counts, root); });
  } else {
    try {  // whether it hears of that before its own part is over
      armature::gatherv(world(), read(right), std::span(all), counts, root);
    } catch (const armature::Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_argument);
    }
  }
  EXPECT_EQ(all, Ints(all.size(), -1));
  std::vector<std::size_t> more = counts;
  ++more[static_cast<std::size_t>(me())];
  Ints room(sum(more), -1);
  expect_error(Errc::bad_argument, {"alltoallv", "own block"},
               [&] { armature::alltoallv(world(), read(room), more, std::span(all), counts); });
  armature::allgatherv(world(), read(right), std::span(all), counts);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int>(i / 2));
}
