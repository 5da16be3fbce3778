#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "conformance.hpp"

// Collectives as members of Team: deprecated, and each does what its free function does. What these
// do is in collectives_test.cpp and reduce_test.cpp.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using namespace conformance;

namespace {

std::vector<int> of_all(int factor) {
  std::vector<int> all(static_cast<std::size_t>(ranks()));
  for (int i = 0; i < ranks(); ++i) all[static_cast<std::size_t>(i)] = factor * i;
  return all;
}

}  // namespace

TEST(OldCollectives, members_that_move_data_do_what_the_functions_do) {
  const int root = ranks() - 1;
  const auto n = static_cast<std::size_t>(ranks());
  std::vector<int> data = me() == root ? of_all(3) : std::vector<int>(n);
  world().broadcast(std::span(data), root);
  EXPECT_EQ(data, of_all(3));
  EXPECT_EQ(world().broadcast(me() + 1, root), ranks());
  EXPECT_EQ(world().allgather(2 * me()), of_all(2));
  EXPECT_EQ(world().gather(5 * me(), root), me() == root ? of_all(5) : std::vector<int>());
  const std::vector<int> mine{7 * me()};
  std::vector<int> all(n), one(1);
  world().allgather(std::span<const int>(mine), std::span(all));
  EXPECT_EQ(all, of_all(7));
  world().scatter(std::span<const int>(all), std::span(one), root);
  EXPECT_EQ(one, mine);
  EXPECT_EQ(world().scatter(std::span<const int>(data), root), 3 * me());
  std::ranges::fill(all, 0);
  world().gather(std::span<const int>(mine), std::span(all), root);
  EXPECT_EQ(all, me() == root ? of_all(7) : std::vector<int>(n));
  world().alltoall(std::span<const int>(data), std::span(all));
  EXPECT_EQ(all, std::vector<int>(n, 3 * me()));
}

TEST(OldCollectives, members_that_reduce_do_what_the_functions_do) {
  const int root = ranks() - 1, n = ranks();
  const std::vector<int> mine{me() + 1, 1};
  const int all = n * (n + 1) / 2, until_me = (me() + 1) * (me() + 2) / 2;
  std::vector<int> data = mine;
  world().allreduce(std::span(data));
  EXPECT_EQ(data, (std::vector<int>{all, n}));
  data = mine;
  world().reduce(std::span(data), root);
  EXPECT_EQ(data, me() == root ? (std::vector<int>{all, n}) : mine);
  data = mine;
  world().scan(std::span(data));
  EXPECT_EQ(data, (std::vector<int>{until_me, me() + 1}));
  data = mine;
  world().exclusive_scan(std::span(data), 10);
  EXPECT_EQ(data, (std::vector<int>{10 + until_me - me() - 1, 10 + me()}));
  EXPECT_EQ(world().allreduce(me(), armature::Maximum()), n - 1);
  EXPECT_EQ(world().reduce(me(), root, armature::Maximum()), me() == root ? n - 1 : me());
  EXPECT_EQ(world().scan(me() + 1), until_me);
  EXPECT_EQ(world().exclusive_scan(me() + 1, 10), 10 + until_me - me() - 1);
}

TEST(OldCollectives, members_of_bytes_do_what_the_functions_do) {
  const int root = ranks() - 1;
  const auto n = static_cast<std::size_t>(ranks());
  int value = me();
  std::vector<int> all(n), back(n);
  world().broadcast_bytes(&value, sizeof value, root);
  EXPECT_EQ(value, root);
  value = me();
  world().allgather_bytes(&value, sizeof value, all.data());
  EXPECT_EQ(all, of_all(1));
  world().gather_bytes(&value, sizeof value, back.data(), root);
  EXPECT_EQ(back, me() == root ? of_all(1) : std::vector<int>(n));
  world().scatter_bytes(all.data(), sizeof value, &value, root);
  EXPECT_EQ(value, me());
  world().alltoall_bytes(all.data(), sizeof value, back.data());
  EXPECT_EQ(back, std::vector<int>(n, me()));
  std::plus<> op;
  const auto one = armature::detail::reduction_of<int>(1, op);
  value = 1;
  world().allreduce_bytes(&value, one);
  EXPECT_EQ(value, ranks());
  value = 1;
  world().reduce_bytes(&value, one, root);
  EXPECT_EQ(value, me() == root ? ranks() : 1);
  value = 1;
  world().scan_bytes(&value, one);
  EXPECT_EQ(value, me() + 1);
}
