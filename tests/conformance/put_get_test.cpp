#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

#include "reachable.hpp"

using namespace conformance;
using armature::get;
using armature::global_ptr;
using armature::put;

namespace {

const std::size_t sizes[] = {
    0,    1,    2,    3,    4,     7,     8,     9,         15,           16,
    17,   31,   63,   64,   65,    127,   255,   256,       1000,         4095,
    4096, 4097, 8192, 9999, 65535, 65536, 65537, (1 << 20), (1 << 20) + 3};

template <std::size_t bytes>
struct Block {
  std::array<std::uint8_t, bytes> content;
  bool operator==(const Block&) const = default;
};

/// Puts a value of that type to the right, next to untouched neighbours, and gets it back.
template <class T>
void expect_round_trip(const T& value) {
  auto piece = Reachable<T>(3);
  const auto target = piece.on(right()) + 1;
  put(target, value);
  EXPECT_TRUE(get(target) == value) << sizeof(T);
  world().barrier();
  EXPECT_TRUE(piece[1] == value) << sizeof(T);
  EXPECT_TRUE(piece[0] == T{} && piece[2] == T{}) << sizeof(T);
  piece.free();
}

template <std::size_t bytes>
Block<bytes> block() {
  Block<bytes> made{};
  for (std::size_t i = 0; i < bytes; ++i) made.content[i] = pattern(i, bytes);
  return made;
}

}  // namespace

TEST(PutGet, values_of_every_type_arrive_whole) {
  expect_round_trip<bool>(true);
  expect_round_trip<char>('x');
  expect_round_trip<std::int16_t>(-12345);
  expect_round_trip<std::uint32_t>(0xdeadbeef);
  expect_round_trip<float>(1.5F);
  expect_round_trip<double>(-2.25);
  expect_round_trip<std::int64_t>(-(std::int64_t{1} << 60));
  expect_round_trip<long double>(3.75L);
  expect_round_trip(reinterpret_cast<void*>(0x1234'5678));
  enum class Colour : std::uint8_t { red, green };
  expect_round_trip(Colour::green);
}

TEST(PutGet, structs_of_every_size_arrive_whole) {
  expect_round_trip(block<3>());
  expect_round_trip(block<8>());
  expect_round_trip(block<24>());
  expect_round_trip(block<64>());
  expect_round_trip(block<4095>());
  expect_round_trip(block<4096>());
  expect_round_trip(block<4097>());
  expect_round_trip(block<20000>());
}

TEST(PutGet, blocks_of_every_size_arrive_and_nothing_beside_them) {
  constexpr std::size_t margin = 64;
  auto piece = Reachable<std::uint8_t>((1 << 20) + 3 + 2 * margin);
  for (const std::size_t bytes : sizes) {
    const auto source = patterned(bytes, bytes + static_cast<std::size_t>(me()));
    put(piece.on(right()) + margin, source.data(), bytes);
    world().barrier();
    const auto expected = patterned(bytes, bytes + static_cast<std::size_t>(left()));
    const auto local = piece.local();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), local.begin() + margin)) << bytes;
    EXPECT_TRUE(std::ranges::all_of(local.first(margin), [](auto x) { return x == 0; })) << bytes;
    EXPECT_TRUE(std::ranges::all_of(local.subspan(margin + bytes), [](auto x) { return x == 0; }))
        << bytes;
    world().barrier();
    std::ranges::fill(local.subspan(margin, bytes), std::uint8_t{0});
    world().barrier();
  }
  piece.free();
}

TEST(PutGet, blocks_of_every_size_come_back_and_nothing_beside_them) {
  auto piece = Reachable<std::uint8_t>((1 << 20) + 3);
  for (std::size_t i = 0; i < piece.local().size(); ++i)
    piece[i] = pattern(i, static_cast<std::size_t>(me()));
  world().barrier();
  const auto expected = patterned((1 << 20) + 3, static_cast<std::size_t>(right()));
  for (const std::size_t bytes : sizes) {
    std::vector<std::uint8_t> into(bytes + 16, 0xab);
    get(into.data() + 8, piece.on(right()), bytes);
    EXPECT_TRUE(std::equal(into.begin() + 8, into.end() - 8, expected.begin())) << bytes;
    EXPECT_TRUE(std::all_of(into.begin(), into.begin() + 8, [](auto x) { return x == 0xab; }));
    EXPECT_TRUE(std::all_of(into.end() - 8, into.end(), [](auto x) { return x == 0xab; })) << bytes;
  }
  world().barrier();
  piece.free();
}

TEST(PutGet, any_alignment_of_both_sides_will_do) {
  auto piece = Reachable<std::uint8_t>(512);
  const auto source = patterned(400, static_cast<std::size_t>(me()));
  for (int to = 0; to < 16; ++to) {
    for (std::size_t from = 0; from < 16; ++from) {
      const std::size_t bytes = 257 + from;
      put(piece.on(right()) + to, source.data() + from, bytes);
      std::vector<std::uint8_t> back(bytes + from);
      get(back.data() + from, piece.on(right()) + to, bytes);
      ASSERT_EQ(std::memcmp(back.data() + from, source.data() + from, bytes), 0) << to << from;
    }
  }
  world().barrier();
  piece.free();
}

TEST(PutGet, ranges_of_every_kind_are_sources_and_targets) {
  auto piece = Reachable<int>(8);
  const auto to = piece.on(right());
  put(to, std::vector<int>{1, 2, 3});
  put(to + 3, std::array<int, 2>{4, 5});
  const int plain[] = {6, 7};
  put(to + 5, plain);
  put(to + 7, std::span<const int>(plain, 1));
  std::vector<int> all(8);
  get(all, to);
  EXPECT_EQ(all, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 6}));
  std::array<int, 2> two{};
  get(two, global_ptr<const int>(to + 1));
  EXPECT_EQ(two, (std::array<int, 2>{2, 3}));
  get(std::span<int>(all).first(2), to + 6);
  EXPECT_EQ(all[0], 7);
  world().barrier();
  piece.free();
}

TEST(PutGet, untyped_bytes_move) {
  auto piece = Reachable<double>(100);
  std::vector<double> source(100, 1.25 + me());
  armature::put_bytes(piece.on(right()), source.data(), 800);
  std::vector<double> back(100);
  armature::get_bytes(back.data(), piece.on(right()), 800);
  EXPECT_EQ(back, source);
  world().barrier();
  piece.free();
}

TEST(PutGet, nothing_moves_at_the_very_end_of_a_piece) {
  auto piece = Reachable<int>(16);
  const auto end = piece.on(right()) + 16;
  EXPECT_FALSE(caught([&] { put(end, static_cast<const int*>(nullptr), 0); }));
  EXPECT_FALSE(caught([&] { get(static_cast<int*>(nullptr), end, 0); }));
  world().barrier();
  piece.free();
}

TEST(PutGet, a_rank_can_put_to_itself) {
  auto piece = Reachable<int>(1000);
  std::vector<int> source(1000, 7 + me());
  put(piece.on(me()), source);
  EXPECT_TRUE(std::ranges::all_of(piece.local(), [](int x) { return x == 7 + me(); }));
  put(piece.on(me()), piece.local());  // source and target are the same
  EXPECT_EQ(get(piece.on(me()) + 999), 7 + me());
  piece.free();
}

TEST(PutGet, global_memory_is_a_source_and_a_target_too) {
  auto from = Reachable<int>(300);
  auto to = Reachable<int>(300);
  std::ranges::fill(from.local(), me());
  world().barrier();
  put(to.on(right()), from.local());
  world().barrier();
  EXPECT_EQ(to[299], left());
  world().barrier();
  get(to.local(), from.on(right()));
  EXPECT_EQ(to[299], right());
  world().barrier();
  from.free();
  to.free();
}

TEST(PutGet, put_then_fence_is_visible_at_the_target) {
  auto piece = Reachable<std::int64_t>(1);
  auto told = world().allocate<std::int64_t>(1);
  put(piece.on(right()), me() + 1);
  world().fence(right());
  if (armature::same_node(me(), right()))
    std::atomic_ref<std::int64_t>(*told.on(right()).direct()).store(1);
  else
    put(told.on(right()), 1);
  ASSERT_TRUE(eventually([&] { return std::atomic_ref(told[0]).load() == 1; }));
  EXPECT_EQ(piece[0], left() + 1);
  world().barrier();
  piece.free();
  world().free(told);
}

TEST(PutGet, words_are_never_seen_half_written) {
  // Allocated, not exposed: exposed memory may be seen half written between processes.
  auto piece = world().allocate<std::uint64_t>(1);
  const auto word = piece.on(0);
  for (int i = often(20000); i > 0; --i) {
    if (me() % 2 == 0) {
      put(word, i % 2 == 0 ? 0 : ~std::uint64_t{0});
    } else {
      const auto seen = get(word);
      ASSERT_TRUE(seen == 0 || seen == ~std::uint64_t{0}) << seen;
    }
  }
  world().barrier();
  world().free(piece);
}

TEST(PutGet, the_target_need_not_call_the_library) {
  auto piece = Reachable<std::int64_t>(1001);
  const auto last = piece.on(right()) + 1000;
  for (int i = 0; i < 1000; ++i) put(piece.on(right()) + i, i);
  world().fence(right());
  put(last, 1);
  std::atomic_ref<std::int64_t> flag(piece[1000]);
  ASSERT_TRUE(eventually([&] { return flag.load() == 1; }));
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(piece[i], static_cast<int>(i));
  world().barrier();
  piece.free();
}

TEST(PutGet, threads_of_a_rank_may_put_at_the_same_time) {
  constexpr std::size_t each = 5000;
  auto piece = Reachable<std::uint64_t>(4 * each);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t, to = piece.on(right())] {
      for (std::size_t i = t * each; i < (t + 1) * each; ++i)
        put(to + static_cast<std::ptrdiff_t>(i), i);
    });
  }
  for (auto& thread : threads) thread.join();
  world().barrier();
  for (std::size_t i = 0; i < 4 * each; ++i) ASSERT_EQ(piece[i], i);
  world().barrier();
  piece.free();
}

TEST(PutGet, a_thread_of_a_rank_may_get_while_the_rank_executes_calls) {
  struct Seen {
    std::vector<int> all;
    void note(int i) { all.push_back(i); }
  };
  constexpr int each = 1000;
  armature::shared<Seen> seen(world());
  auto piece = Reachable<int>(each);
  std::iota(piece.local().begin(), piece.local().end(), me());
  world().barrier();
  int wrong = 0;
  std::thread thread([&, from = piece.on(right()), first = right()] {
    for (int i = 0; i < each; ++i) wrong += get(from + i) != first + i ? 1 : 0;
  });
  for (int i = 0; i < each; ++i) {
    seen.async(left(), &Seen::note, i);
    if (i % 50 == 0) armature::rmi_fence();
  }
  armature::rmi_fence();
  thread.join();
  EXPECT_EQ(wrong, 0);
  ASSERT_EQ(seen->all.size(), static_cast<std::size_t>(each));
  for (int i = 0; i < each; ++i) EXPECT_EQ(seen->all[static_cast<std::size_t>(i)], i);
  world().barrier();
  piece.free();
}

TEST(PutGet, everybody_puts_to_everybody) {
  constexpr std::size_t each = 3000;
  auto piece = Reachable<std::uint8_t>(each * static_cast<std::size_t>(ranks()));
  const auto source = patterned(each, static_cast<std::size_t>(me()));
  for (int to = 0; to < ranks(); ++to)
    put(piece.on(to) + static_cast<std::ptrdiff_t>(each) * me(), source);
  world().barrier();
  for (int from = 0; from < ranks(); ++from) {
    const auto expected = patterned(each, static_cast<std::size_t>(from));
    const auto local = piece.local().subspan(each * static_cast<std::size_t>(from), each);
    EXPECT_TRUE(std::ranges::equal(local, expected)) << from;
  }
  piece.free();
}
