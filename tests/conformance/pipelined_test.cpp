// Short collectives that have a root, and scans: on one node a member waits only for those whose
// bytes it reads.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "armature/armature.hpp"
#include "armature/locality.hpp"
#include "conformance.hpp"

namespace {

using namespace conformance;

/// Whether a root goes on before others have called: docs/guide/teams.md.
bool are_pipelined() {
  for (int rank = 1; rank < ranks(); ++rank)
    if (!armature::same_node(armature::Rank(0), armature::Rank(rank))) return false;
  return ranks() <= 64 && !checks_in_full();
}

TEST(Pipelined, a_root_goes_on_before_others_have_called) {
  const bool root_is_ahead = are_pipelined();
  auto flag = world().allocate<std::int64_t>(1);
  flag[0] = 0;
  world().barrier();
  constexpr int calls = 20;
  const auto broadcasts = [&] {
    for (int i = 0; i < calls; ++i) EXPECT_EQ(broadcast(world(), me() == 0 ? i : -1, 0), i);
  };
  const auto raise_flags = [&] {
    for (int rank = 1; rank < ranks(); ++rank) put(flag.on(rank), std::int64_t{1});
    armature::fence_all();
  };
  if (me() != 0) {
    // Would wait for ever if the root waited for these calls.
    if (root_is_ahead)
      armature::wait_until(flag.local().data(), armature::Comparison::eq, std::int64_t{1});
    broadcasts();
  } else {
    broadcasts();
    if (root_is_ahead) raise_flags();
  }
  world().barrier();
  world().free(flag);
}

TEST(Pipelined, members_whose_values_go_to_a_root_go_on_before_it) {
  const bool others_are_ahead = are_pipelined();
  auto flag = world().allocate<std::int64_t>(1);
  flag[0] = 0;
  world().barrier();
  constexpr int calls = 20;
  if (me() != 0) {
    for (int i = 0; i < calls; ++i) (void)reduce(world(), me() + i, 0);
    if (others_are_ahead) (void)armature::fetch_add(flag.on(0), std::int64_t{1});
  } else {
    if (others_are_ahead)
      armature::wait_until(flag.local().data(), armature::Comparison::eq,
                           std::int64_t{ranks() - 1});
    for (int i = 0; i < calls; ++i)
      EXPECT_EQ(reduce(world(), i, 0), ranks() * (ranks() - 1) / 2 + ranks() * i);
  }
  world().barrier();
  world().free(flag);
}

/// One call of some collective, its root and length drawn from what all draw alike.
class Call {
 public:
  explicit Call(std::mt19937& draw)
      : kind_(static_cast<unsigned>(draw() % 9)),
        root_(static_cast<int>(draw() % static_cast<unsigned>(ranks()))),
        count_(lengths[draw() % std::size(lengths)]),
        salt_(draw() % 1000) {}

  void make_and_check() const {
    switch (kind_) {
      case 0:
        return check_broadcast();
      case 1:
        return check_gather();
      case 2:
        return check_scatter();
      case 3:
        return check_reduce();
      case 4:
        return check_scan();
      case 5:
        return check_exclusive_scan();
      case 6:
        return check_allreduce();
      case 7:
        return check_allgather();
      default:
        return world().barrier();
    }
  }

 private:
  // Around what a line has room for, and what staging has.
  static constexpr std::size_t lengths[] = {0, 1, 1, 2, 6, 6, 7, 500, 2048, 2049, 4096, 9000};

  [[nodiscard]] std::int64_t value(int member, std::size_t i) const {
    return static_cast<std::int64_t>(salt_ + i) * 100 + member;
  }
  [[nodiscard]] std::vector<std::int64_t> values(int member) const {
    std::vector<std::int64_t> all(count_);
    for (std::size_t i = 0; i < count_; ++i) all[i] = value(member, i);
    return all;
  }
  /// The sum of the first members' values.
  [[nodiscard]] std::vector<std::int64_t> sums(int members, std::int64_t first = 0) const {
    std::vector<std::int64_t> all(count_, first);
    for (std::size_t i = 0; i < count_; ++i)
      for (int member = 0; member < members; ++member) all[i] += value(member, i);
    return all;
  }
  [[nodiscard]] std::vector<std::int64_t> values_of_all() const {
    std::vector<std::int64_t> all;
    for (int member = 0; member < ranks(); ++member)
      std::ranges::copy(values(member), std::back_inserter(all));
    return all;
  }

  void check_broadcast() const {
    std::vector<std::int64_t> data =
        me() == root_ ? values(root_) : std::vector<std::int64_t>(count_);
    broadcast(world(), std::span(data), root_);
    EXPECT_EQ(data, values(root_));
  }
  void check_gather() const {
    const auto mine = values(me());
    std::vector<std::int64_t> all(me() == root_ ? count_ * static_cast<std::size_t>(ranks()) : 0);
    gather(world(), std::span<const std::int64_t>(mine), std::span(all), root_);
    if (me() == root_) EXPECT_EQ(all, values_of_all());
  }
  void check_scatter() const {
    const auto all = me() == root_ ? values_of_all() : std::vector<std::int64_t>();
    std::vector<std::int64_t> mine(count_);
    scatter(world(), std::span<const std::int64_t>(all), std::span(mine), root_);
    EXPECT_EQ(mine, values(me()));
  }
  void check_reduce() const {
    auto data = values(me());
    reduce(world(), std::span(data), root_);
    if (me() == root_) EXPECT_EQ(data, sums(ranks()));
  }
  void check_scan() const {
    auto data = values(me());
    scan(world(), std::span(data));
    EXPECT_EQ(data, sums(me() + 1));
  }
  void check_exclusive_scan() const {
    auto data = values(me());
    exclusive_scan(world(), std::span(data), std::int64_t{7});
    EXPECT_EQ(data, sums(me(), 7));
  }
  void check_allreduce() const {
    auto data = values(me());
    allreduce(world(), std::span(data));
    EXPECT_EQ(data, sums(ranks()));
  }
  void check_allgather() const {
    const auto mine = values(me());
    std::vector<std::int64_t> all(count_ * static_cast<std::size_t>(ranks()));
    allgather(world(), std::span<const std::int64_t>(mine), std::span(all));
    EXPECT_EQ(all, values_of_all());
  }

  unsigned kind_;
  int root_;
  std::size_t count_;
  std::size_t salt_;
};

TEST(Pipelined, calls_of_all_kinds_and_lengths_follow_each_other) {
  std::mt19937 draw(20);  // alike at all
  for (int i = 0; i < 300; ++i) Call(draw).make_and_check();
}

TEST(Pipelined, more_calls_than_there_are_lines) {
  for (int i = 0; i < 1000; ++i) {
    const int root = i % ranks();
    ASSERT_EQ(broadcast(world(), me() == root ? i : -1, root), i);
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(scan(world(), i), i * (me() + 1));
}

TEST(Pipelined, a_disagreement_is_found_also_between_long_calls_that_have_a_root) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  std::vector<std::int64_t> data(5000, me());
  // Each is its own root, so nobody waits for anybody.
  expect_error(armature::Errc::bad_argument, {"disagree"}, [&] {
    for (int i = 0; i < 65; ++i) {
      (void)broadcast(world(), i, me());
      broadcast(world(), std::span(data), 0);
    }
  });
  EXPECT_EQ(allreduce(world(), 1), ranks());
}

struct Matrix {
  std::int32_t a, b, c, d;
  friend bool operator==(const Matrix& l, const Matrix& r) = default;
};
Matrix operator*(const Matrix& l, const Matrix& r) {
  return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
          l.c * r.b + l.d * r.d};
}

TEST(Pipelined, operators_that_do_not_commute_keep_team_order) {
  const auto of = [](int member) { return Matrix{1, member + 1, member % 3, 2}; };
  const auto times = [](const Matrix& l, const Matrix& r) { return l * r; };
  Matrix before{1, 0, 0, 1};
  for (int member = 0; member < me(); ++member) before = before * of(member);
  EXPECT_EQ(exclusive_scan(world(), of(me()), Matrix{1, 0, 0, 1}, times), before);
  EXPECT_EQ(scan(world(), of(me()), times), before * of(me()));
  for (const std::size_t count : {3u, 3000u}) {
    std::vector<Matrix> data(count, of(me()));
    scan(world(), std::span(data), times);
    EXPECT_EQ(data.front(), before * of(me()));
    EXPECT_EQ(data.back(), before * of(me()));
  }
}

}  // namespace
