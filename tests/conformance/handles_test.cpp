#include <algorithm>
#include <type_traits>
#include <utility>

#include "reachable.hpp"

using namespace conformance;
using armature::Handle;

static_assert(std::is_nothrow_move_constructible_v<Handle> &&
              std::is_nothrow_move_assignable_v<Handle>);
static_assert(!std::is_copy_constructible_v<Handle> && !std::is_copy_assignable_v<Handle>);

TEST(Handles, an_empty_handle_is_complete) {
  Handle handle;
  EXPECT_TRUE(handle.test());
  EXPECT_FALSE(caught([&] { handle.wait(); }));
  EXPECT_FALSE(caught([&] { handle.wait(); }));
}

TEST(Handles, after_wait_the_source_of_a_put_may_be_reused) {
  auto piece = Reachable<int>(1000);
  std::vector<int> source(1000, me());
  auto handle = armature::put_async(piece.on(right()), source);
  handle.wait();
  std::ranges::fill(source, -1);
  world().barrier();
  EXPECT_TRUE(std::ranges::all_of(piece.local(), [](int x) { return x == left(); }));
  world().barrier();
  piece.free();
}

TEST(Handles, after_wait_the_source_of_an_accumulate_may_be_reused) {
  auto piece = Reachable<int>(1000);
  std::vector<int> source(1000, me() + 1);
  auto handle = armature::accumulate_async(piece.on(right()), source);
  handle.wait();
  std::ranges::fill(source, -1);
  world().barrier();
  EXPECT_TRUE(std::ranges::all_of(piece.local(), [](int x) { return x == left() + 1; }));
  world().barrier();
  piece.free();
}

TEST(Handles, after_wait_the_target_of_a_get_holds_the_data) {
  auto piece = Reachable<int>(1000);
  std::ranges::fill(piece.local(), me());
  world().barrier();
  std::vector<int> into(1000, -1);
  auto handle = armature::get_async(into, piece.on(right()));
  handle.wait();
  EXPECT_TRUE(std::ranges::all_of(into, [](int x) { return x == right(); }));
  int two[2] = {};
  armature::get_async(two, piece.on(right()), 2).wait();
  EXPECT_EQ(two[1], right());
  // An address stands for one element, an array for all that it has.
  int numbers[3] = {-1, -1, -1}, whole[3][2] = {};
  armature::get_async(&numbers[0], piece.on(right())).wait();
  armature::get(&numbers[1], piece.on(right()));
  armature::get_nbi(&numbers[2], piece.on(right()));
  armature::get_async(whole[0], piece.on(right())).wait();
  armature::get(whole[1], piece.on(right()));
  armature::get_nbi(whole[2], piece.on(right()));
  armature::wait_all();
  for (const int number : numbers) EXPECT_EQ(number, right());
  for (const auto& both : whole) EXPECT_EQ(both[1], right());
  world().barrier();
  piece.free();
}

TEST(Handles, test_becomes_true_and_stays_true) {
  auto piece = Reachable<int>(1);
  auto handle = armature::put_async(piece.on(right()), me());
  ASSERT_TRUE(eventually([&] { return handle.test(); }));
  EXPECT_TRUE(handle.test());
  handle.wait();
  EXPECT_TRUE(handle.test());
  world().barrier();
  EXPECT_EQ(piece[0], left());
  piece.free();
}

TEST(Handles, moving_a_handle_leaves_an_empty_one) {
  auto piece = Reachable<int>(2);
  auto first = armature::put_async(piece.on(right()), me());
  auto second = std::move(first);
  EXPECT_TRUE(first.test());  // NOLINT(bugprone-use-after-move)
  first = armature::put_async(piece.on(right()) + 1, me());
  second = std::move(first);  // completes what it held
  second.wait();
  auto& same = second;
  second = std::move(same);
  EXPECT_TRUE(second.test());
  world().barrier();
  EXPECT_EQ(piece[0], left());
  EXPECT_EQ(piece[1], left());
  world().barrier();
  piece.free();
}

TEST(Handles, a_destroyed_handle_has_completed) {
  auto piece = Reachable<int>(100);
  std::ranges::fill(piece.local(), me());
  world().barrier();
  std::vector<int> into(100, -1);
  { auto handle = armature::get_async(into, piece.on(right())); }
  EXPECT_EQ(into, std::vector<int>(100, right()));
  world().barrier();
  piece.free();
}

TEST(Handles, wait_all_completes_many) {
  auto piece = Reachable<int>(100);
  std::vector<Handle> handles;
  std::vector<int> source(100, me());
  for (std::ptrdiff_t i = 0; i < 100; ++i)
    handles.push_back(
        armature::put_async(piece.on(right()) + i, &source[static_cast<std::size_t>(i)], 1));
  armature::wait_all(handles);
  EXPECT_TRUE(armature::test_all(handles));
  std::ranges::fill(source, -1);
  world().barrier();
  EXPECT_TRUE(std::ranges::all_of(piece.local(), [](int x) { return x == left(); }));
  world().barrier();
  piece.free();
}

TEST(Handles, wait_any_returns_one_that_is_complete) {
  auto piece = Reachable<int>(10);
  std::vector<Handle> handles(3);
  handles[1] = armature::put_async(piece.on(right()), me());
  const std::size_t which = armature::wait_any(handles);
  ASSERT_LT(which, 3U);
  EXPECT_TRUE(handles[which].test());
  const std::size_t tested = armature::test_any(handles);
  ASSERT_LT(tested, 3U);
  EXPECT_TRUE(handles[tested].test());
  world().barrier();
  piece.free();
}

TEST(Handles, no_handles_at_all_are_complete_but_none_can_be_awaited) {
  std::span<Handle> none;
  EXPECT_FALSE(caught([&] { armature::wait_all(none); }));
  EXPECT_TRUE(armature::test_all(none));
  EXPECT_EQ(armature::test_any(none), 0U);
  expect_error(armature::Errc::bad_argument, {"wait_any"}, [&] { (void)armature::wait_any(none); });
}

TEST(Handles, implicit_operations_complete_with_wait_all) {
  auto piece = Reachable<int>(300);
  std::ranges::fill(piece.local().first(100), me());
  world().barrier();
  std::vector<int> source(100, me());
  std::vector<int> into(100, -1);
  int one = -1;
  armature::put_nbi(piece.on(right()) + 100, source);
  armature::accumulate_nbi(piece.on(right()) + 200, source);
  armature::get_nbi(into, piece.on(right()));
  armature::get_nbi(&one, piece.on(right()) + 99);
  armature::wait_all();
  EXPECT_EQ(into, std::vector<int>(100, right()));
  EXPECT_EQ(one, right());
  std::ranges::fill(source, -1);
  world().barrier();
  for (std::size_t i = 100; i < 300; ++i) ASSERT_EQ(piece[i], left());
  world().barrier();
  piece.free();
}

TEST(Handles, implicit_operations_to_one_rank_complete_with_wait_all_of_that_rank) {
  auto piece = Reachable<int>(static_cast<std::size_t>(ranks()));
  piece[static_cast<std::size_t>(me())] = 1000 + me();
  world().barrier();
  std::vector<int> into(static_cast<std::size_t>(ranks()), -1);
  for (int rank = 0; rank < ranks(); ++rank)
    armature::get_nbi(&into[static_cast<std::size_t>(rank)], piece.on(rank) + rank);
  for (int rank = 0; rank < ranks(); ++rank) {
    armature::wait_all(rank);
    EXPECT_EQ(into[static_cast<std::size_t>(rank)], 1000 + rank);
  }
  world().barrier();
  piece.free();
}

TEST(Handles, thousands_may_be_outstanding) {
  constexpr std::size_t n = 20000;
  auto piece = Reachable<std::uint32_t>(n);
  std::vector<std::uint32_t> source(n);
  std::vector<Handle> handles;
  handles.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    source[i] = static_cast<std::uint32_t>(i * 3);
    handles.push_back(
        armature::put_async(piece.on(right()) + static_cast<std::ptrdiff_t>(i), &source[i], 1));
  }
  armature::wait_all(handles);
  world().barrier();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(piece[i], i * 3);
  world().barrier();
  piece.free();
}

TEST(Handles, wait_all_of_a_rank_there_is_not_is_an_error) {
  for (const int rank : {-1, ranks(), 1 << 30})
    expect_error(armature::Errc::bad_rank, {"wait_all"}, [&] { armature::wait_all(rank); });
}
