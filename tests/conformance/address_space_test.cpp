#include <atomic>

#include "conformance.hpp"

using namespace conformance;
using armature::global_ptr;

TEST(AddressSpace, a_piece_has_the_same_address_in_every_process) {
  auto piece = world().allocate<int>(100);
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto seen = allgather(world(), piece.on(rank).address());
    for (const int* address : seen) EXPECT_EQ(address, piece.on(rank).address());
  }
  const auto own = allgather(world(), piece.local().data());
  for (int rank = 0; rank < ranks(); ++rank)
    EXPECT_EQ(own[static_cast<std::size_t>(rank)], piece.on(rank).address());
  world().free(piece);
}

TEST(AddressSpace, pieces_of_different_ranks_do_not_overlap) {
  auto piece = world().allocate<std::uint8_t>(10000);
  std::ranges::fill(piece.local(), static_cast<std::uint8_t>(me() + 1));
  world().barrier();
  for (int rank = 0; rank < ranks(); ++rank)
    for (std::ptrdiff_t i = 0; i < 10000; i += 999)
      EXPECT_EQ(armature::get(piece.on(rank) + i), rank + 1);
  world().barrier();
  world().free(piece);
}

TEST(AddressSpace, remote_memory_can_be_written_through_plain_pointers) {
  auto piece = world().allocate<int>(static_cast<std::size_t>(ranks()));
  for (int rank = 0; rank < ranks(); ++rank)
    if (armature::same_node(me(), rank)) piece.on(rank).direct()[me()] = 100 + me();
  world().barrier();
  for (int rank = 0; rank < ranks(); ++rank)
    if (armature::same_node(me(), rank))
      EXPECT_EQ(piece[static_cast<std::size_t>(rank)], 100 + rank);
  world().free(piece);
}

TEST(AddressSpace, a_list_that_runs_through_all_segments_can_be_walked_by_everyone) {
  struct Link {
    int rank;
    Link* next;
  };
  auto link = world().allocate<Link>(1);
  link[0] = {me(), me() + 1 < ranks() ? link.on(me() + 1).address() : nullptr};
  world().barrier();
  int expected = 0;
  for (Link at = armature::get(link.on(0)); at.rank == expected++ && at.next != nullptr;)
    at = armature::get(armature::global_ptr<Link>(at.rank + 1, at.next));
  EXPECT_EQ(expected, ranks());
  world().barrier();
  world().free(link);
}

TEST(AddressSpace, standard_atomics_work_between_ranks) {
  auto counter = world().allocate<std::int64_t>(1);
  // All that can: those of the node of rank 0.
  const bool can = armature::same_node(0, me());
  if (can) {
    std::atomic_ref<std::int64_t> shared(*counter.on(0).direct());
    for (int i = 0; i < 10000; ++i) shared.fetch_add(1);
  }
  const int together = allreduce(world(), can ? 1 : 0);
  EXPECT_EQ(armature::get(counter.on(0)), 10000 * together);
  world().barrier();
  world().free(counter);
}

TEST(AddressSpace, contents_stay_where_they_are_while_others_come_and_go) {
  auto stays = world().allocate<std::uint64_t>(500);
  for (std::size_t i = 0; i < 500; ++i) stays[i] = i * 7 + static_cast<std::size_t>(me());
  for (std::size_t round = 1; round < 50; ++round) {
    auto passes = world().allocate<std::byte>(round * round * 100);
    std::ranges::fill(passes.local(), std::byte{0xee});
    world().free(passes);
  }
  for (std::size_t i = 0; i < 500; ++i)
    ASSERT_EQ(armature::get(stays.on(right()) + static_cast<std::ptrdiff_t>(i)),
              i * 7 + static_cast<std::size_t>(right()));
  world().barrier();
  world().free(stays);
}

TEST(AddressSpace, pointer_arithmetic_is_that_of_the_element) {
  auto piece = world().allocate<std::int32_t>(10);
  const auto first = piece.on(right());
  const auto fourth = first + 3;
  EXPECT_EQ(fourth.address(), first.address() + 3);
  EXPECT_EQ(fourth - first, 3);
  EXPECT_EQ(fourth - 3, first);
  EXPECT_EQ(first[3], fourth);
  EXPECT_EQ(fourth.rank(), right());
  auto walking = first;
  ++walking;
  walking += 3;
  --walking;
  EXPECT_EQ(walking, fourth);
  EXPECT_EQ(first.cast<std::int64_t>().rank(), right());
  EXPECT_EQ(static_cast<void*>(first.cast<std::int64_t>().address()), first.address());
  world().free(piece);
}

TEST(AddressSpace, null_pointers_are_equal_and_false) {
  const global_ptr<int> none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none, global_ptr<int>(nullptr));
  EXPECT_EQ(none, global_ptr<int>(0, nullptr));
  int x = 0;
  EXPECT_TRUE(global_ptr<int>(me(), &x));
  const global_ptr<const int> constant = global_ptr<int>(me(), &x);
  EXPECT_EQ(constant.address(), &x);
}
