#include <algorithm>
#include <fstream>

#include "conformance.hpp"

using namespace conformance;
using armature::Errc;

namespace {

template <class T>
bool all_zero(std::span<const T> memory) {
  return std::ranges::all_of(memory, [](const T& x) { return x == T{}; });
}

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Allocates and frees. Whether what is allocated at the end lies near where it lay at first, on
/// all ranks.
bool cycles_end_where_they_began() {
  constexpr std::size_t most = 1 << 20;
  auto first = world().allocate<std::byte>(most);
  const auto start = number(first.local().data());
  world().free(first);
  for (std::size_t round = 0; round < 100; ++round) {
    auto large = world().allocate<std::byte>(most - 4096 * (round % 7));
    auto small = world().allocate<std::byte>(1 + 64 * round);
    world().free(large);
    world().free(small);
  }
  auto last = world().allocate<std::byte>(most);
  const bool is_near = number(last.local().data()) < start + 8 * most;
  world().free(last);
  return allreduce(world(), static_cast<int>(is_near), armature::Minimum{}) == 1;
}

/// The machine's memory in bytes; 0 when the system does not say.
std::size_t memory_total() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::size_t kib = 0;
  meminfo >> key >> kib;
  return key == "MemTotal:" ? kib * 1024 : 0;
}

}  // namespace

TEST(Allocate, every_rank_gets_its_own_zero_filled_piece) {
  auto piece = world().allocate<double>(1000);
  ASSERT_EQ(piece.members(), ranks());
  ASSERT_EQ(piece.local().size(), 1000U);
  EXPECT_TRUE(all_zero<double>(piece.local()));
  EXPECT_EQ(piece.on(me()).address(), piece.local().data());
  EXPECT_EQ(piece.on(me()).rank(), me());
  piece[999] = 1;
  world().free(piece);
  EXPECT_FALSE(piece);
}

TEST(Allocate, pieces_may_differ_in_size_and_be_empty) {
  auto piece = world().allocate<int>(static_cast<std::size_t>(me()) * 1000);
  for (int rank = 0; rank < ranks(); ++rank)
    EXPECT_EQ(piece.size(rank), static_cast<std::size_t>(rank) * 1000);
  for (int& x : piece.local()) x = me();
  world().barrier();
  const int last = ranks() - 1;
  if (last > 0) {
    EXPECT_EQ(armature::get(piece.on(last) + 999), last);
  }
  world().free(piece);
}

TEST(Allocate, all_pieces_may_be_empty) {
  auto piece = world().allocate<int>(0);
  EXPECT_TRUE(piece);
  EXPECT_EQ(piece.local().size(), 0U);
  world().free(piece);
}

TEST(Allocate, pieces_are_aligned_to_64_bytes_and_to_their_type) {
  struct alignas(512) Wide {
    std::byte bytes[512];
  };
  for (std::size_t n : {1U, 3U, 100U}) {
    auto bytes = world().allocate<char>(n);
    auto wide = world().allocate<Wide>(n);
    EXPECT_EQ(number(bytes.local().data()) % 64, 0U);
    EXPECT_EQ(number(wide.local().data()) % 512, 0U);
    world().free(bytes);
    world().free(wide);
  }
}

TEST(Allocate, two_pieces_do_not_overlap) {
  std::vector<armature::Piece<std::uint8_t>> pieces;
  for (std::size_t i = 0; i < 20; ++i) {
    pieces.push_back(world().allocate<std::uint8_t>(100 + 977 * i));
    std::ranges::fill(pieces.back().local(), static_cast<std::uint8_t>(i));
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto local = pieces[i].local();
    EXPECT_TRUE(std::ranges::all_of(local, [&](std::uint8_t x) { return x == i; })) << i;
  }
  for (auto& piece : pieces) world().free(piece);
}

TEST(Allocate, memory_that_was_used_before_is_zero_filled_again) {
  for (int round = 0; round < 20; ++round) {
    auto piece = world().allocate<std::uint8_t>(5000 + 100 * static_cast<std::size_t>(round));
    EXPECT_TRUE(all_zero<std::uint8_t>(piece.local())) << round;
    std::ranges::fill(piece.local(), std::uint8_t{0xff});
    world().free(piece);
    auto mine = world().allocate_local<std::uint8_t>(3000);
    EXPECT_TRUE(all_zero<std::uint8_t>({mine.address(), 3000})) << round;
    std::fill_n(mine.address(), 3000, std::uint8_t{0xff});
    world().free_local(mine);
  }
}

TEST(Allocate, many_cycles_do_not_grow) {
  // The library takes memory for itself when a rank first does something. Where that takes the gap
  // in which the first one lay, the next fit may lie far away: once, not each time.
  bool is_over = false;
  for (int i = 0; i < 3 && !is_over; ++i) is_over = cycles_end_where_they_began();
  EXPECT_TRUE(is_over);
}

TEST(Allocate, local_memory_can_be_addressed_by_others) {
  auto mine = world().allocate_local<int>(100);
  EXPECT_EQ(mine.rank(), me());
  EXPECT_TRUE(all_zero<int>({mine.address(), 100}));
  const auto all = allgather(world(), mine);
  armature::put(all[static_cast<std::size_t>(right())] + 7, me());
  world().barrier();
  EXPECT_EQ(mine.address()[7], left());
  world().barrier();
  world().free_local(mine);
}

TEST(Allocate, many_local_cycles_do_not_grow) {
  const auto first = world().allocate_local<std::byte>(1 << 20);
  world().free_local(first);
  for (std::size_t round = 0; round < 3000; ++round) {
    auto a = world().allocate_local<std::byte>(1 + round * 37);
    auto b = world().allocate_local<std::byte>(64);
    world().free_local(a);
    world().free_local(b);
  }
  const auto last = world().allocate_local<std::byte>(1 << 20);
  EXPECT_LT(number(last.address()), number(first.address()) + (8 << 20));
  world().free_local(last);
}

TEST(Allocate, memory_that_cannot_be_had_is_an_error_on_every_rank) {
  for (const std::size_t bytes : {std::size_t{1} << 60, std::size_t{1} << 45, SIZE_MAX}) {
    expect_error(Errc::out_of_memory, {"allocate"},
                 [&] { (void)world().allocate<std::byte>(bytes); });
  }
  expect_error(Errc::out_of_memory, {"allocate"},
               [&] { (void)world().allocate<double>(SIZE_MAX / 4); });
  auto piece = world().allocate<int>(10);  // all is as before
  EXPECT_TRUE(all_zero<int>(piece.local()));
  world().free(piece);
}

TEST(Allocate, one_rank_asking_too_much_is_an_error_on_every_rank_that_names_it) {
  const int greedy = ranks() - 1;
  const std::size_t bytes = me() == greedy ? std::size_t{1} << 50 : 4096;
  expect_error(Errc::out_of_memory, {"allocate", "rank " + std::to_string(greedy)},
               [&] { (void)world().allocate<std::byte>(bytes); });
  auto piece = world().allocate<int>(10);
  world().free(piece);
}

TEST(Allocate, more_than_the_machine_has_is_an_error_not_a_crash_later) {
  const std::size_t total = memory_total();
  if (total == 0 || total > std::size_t{100} << 30) GTEST_SKIP() << "no telling what would fit";
  expect_error(Errc::out_of_memory, {"allocate"},
               [&] { (void)world().allocate<std::byte>(total + total / 4); });
  world().barrier();
}

TEST(Allocate, local_memory_that_cannot_be_had_is_an_error) {
  expect_error(Errc::out_of_memory, {"allocate_local"},
               [&] { (void)world().allocate_local<std::byte>(std::size_t{1} << 60); });
  expect_error(Errc::out_of_memory, {"allocate_local"},
               [&] { (void)world().allocate_local<double>(SIZE_MAX / 2); });
}

TEST(Allocate, freeing_twice_is_misuse) {
  auto piece = world().allocate<int>(10);
  auto copy = piece;
  world().free(piece);
  expect_error(Errc::misuse, {"free"}, [&] { world().free(copy); });
  armature::Piece<int> none;
  expect_error(Errc::misuse, {"free"}, [&] { world().free(none); });
}

TEST(Allocate, freeing_through_another_team_is_misuse) {
  auto other = world().duplicate();
  auto piece = other.allocate<int>(10);
  auto copy = piece;
  expect_error(Errc::misuse, {"free"}, [&] { world().free(copy); });
  other.free(piece);
}

TEST(Allocate, freeing_local_memory_wrongly_is_misuse) {
  auto mine = world().allocate_local<int>(10);
  const auto others = allgather(world(), mine);
  expect_error(Errc::misuse, {"free_local"}, [&] { world().free_local(mine + 1); });
  if (ranks() > 1) {
    expect_error(Errc::misuse, {"free_local"},
                 [&] { world().free_local(others[static_cast<std::size_t>(right())]); });
  }
  world().barrier();
  world().free_local(mine);
  expect_error(Errc::misuse, {"free_local"}, [&] { world().free_local(mine); });
  int on_the_stack = 0;
  expect_error(Errc::misuse, {"free_local"},
               [&] { world().free_local(armature::global_ptr<int>(me(), &on_the_stack)); });
}

TEST(Allocate, a_piece_knows_its_members_only) {
  auto piece = world().allocate<int>(1);
  for (const int member : {-1, ranks(), 1 << 30}) {
    EXPECT_TRUE(caught([&] { (void)piece.on(member); })) << member;
    EXPECT_TRUE(caught([&] { (void)piece.size(member); })) << member;
  }
  world().free(piece);
  EXPECT_TRUE(caught([&] { (void)piece.on(0); }));
  EXPECT_TRUE(caught([&] { (void)piece.local(); }));
  EXPECT_TRUE(caught([&] { (void)piece[0]; }));
}
