#include <algorithm>
#include <numeric>

#include "reachable.hpp"

using namespace conformance;
using armature::Iov;

namespace {

/// Pieces of equal size with their two lists of addresses.
struct List {
  std::size_t bytes = 0;
  std::vector<void*> to = {};
  std::vector<const void*> from = {};

  void add(void* target, const void* source) {
    to.push_back(target);
    from.push_back(source);
  }
  [[nodiscard]] Iov iov() const { return {.to = to, .from = from, .bytes = bytes}; }
};

/// Numbers 0 .. n-1 in an order that depends on the seed.
std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

template <class Transfer>
void expect_scatter(std::size_t bytes, std::size_t count, Transfer transfer) {
  auto piece = Reachable<std::uint8_t>(bytes * count * 2);
  const auto source = patterned(bytes * count, static_cast<std::size_t>(me()));
  const auto order = shuffled(count, bytes);
  List list{.bytes = bytes};
  for (std::size_t i = 0; i < count; ++i)
    list.add(piece.on(right()).address() + order[i] * 2 * bytes, source.data() + i * bytes);
  const Iov iov[] = {list.iov()};
  transfer(right(), std::span<const Iov>(iov));
  world().barrier();
  const auto sent = patterned(bytes * count, static_cast<std::size_t>(left()));
  std::vector<std::uint8_t> expected(piece.local().size());
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(sent.begin() + static_cast<std::ptrdiff_t>(i * bytes), bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(order[i] * 2 * bytes));
  EXPECT_TRUE(std::ranges::equal(piece.local(), expected)) << bytes << " x " << count;
  world().barrier();
  piece.free();
}

template <class Transfer>
void expect_gather(std::size_t bytes, std::size_t count, Transfer transfer) {
  auto piece = Reachable<std::uint8_t>(bytes * count * 2);
  std::ranges::copy(patterned(piece.local().size(), static_cast<std::size_t>(me())),
                    piece.local().begin());
  world().barrier();
  std::vector<std::uint8_t> into(bytes * count);
  List list{.bytes = bytes};
  const auto order = shuffled(count, bytes + 1);
  for (std::size_t i = 0; i < count; ++i)
    list.add(into.data() + i * bytes, piece.on(right()).address() + order[i] * 2 * bytes);
  const Iov iov[] = {list.iov()};
  transfer(right(), std::span<const Iov>(iov));
  const auto held = patterned(bytes * count * 2, static_cast<std::size_t>(right()));
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_TRUE(std::equal(into.begin() + static_cast<std::ptrdiff_t>(i * bytes),
                           into.begin() + static_cast<std::ptrdiff_t>((i + 1) * bytes),
                           held.begin() + static_cast<std::ptrdiff_t>(order[i] * 2 * bytes)))
        << bytes << " x " << count;
  world().barrier();
  piece.free();
}

const std::pair<std::size_t, std::size_t> shapes[] = {{1, 100}, {4, 33}, {8, 1000}, {13, 7},
                                                      {64, 64}, {1, 1},  {5000, 3}, {100000, 2}};

}  // namespace

TEST(Vector, put_scatters_pieces_of_every_size) {
  for (const auto& [bytes, count] : shapes) expect_scatter(bytes, count, armature::put_vector);
}

TEST(Vector, get_gathers_pieces_of_every_size) {
  for (const auto& [bytes, count] : shapes) expect_gather(bytes, count, armature::get_vector);
}

TEST(Vector, non_blocking_forms_do_the_same) {
  const auto wait_for = [](auto call) {
    return [call](armature::Rank rank, std::span<const Iov> iov) { call(rank, iov).wait(); };
  };
  expect_scatter(8, 100, wait_for(armature::put_vector_async));
  expect_gather(8, 100, wait_for(armature::get_vector_async));
}

TEST(Vector, implicit_forms_do_the_same) {
  const auto then_wait_all = [](auto call) {
    return [call](armature::Rank rank, std::span<const Iov> iov) {
      call(rank, iov);
      armature::wait_all();
    };
  };
  expect_scatter(16, 50, then_wait_all(armature::put_vector_nbi));
  expect_gather(16, 50, then_wait_all(armature::get_vector_nbi));
}

TEST(Vector, lists_of_different_sizes_travel_in_one_call) {
  auto piece = Reachable<std::uint8_t>(1000);
  const auto source = patterned(1000, static_cast<std::size_t>(me()));
  List bytes{.bytes = 1};
  List words{.bytes = 8};
  List nothing{.bytes = 0};
  auto* const to = piece.on(right()).address();
  for (std::size_t i = 0; i < 100; ++i) bytes.add(to + i, source.data() + i);
  for (std::size_t i = 0; i < 100; ++i) words.add(to + 200 + 8 * i, source.data() + 200 + 8 * i);
  nothing.add(to, source.data());
  const Iov iov[] = {bytes.iov(), nothing.iov(), Iov{}, words.iov()};
  armature::put_vector(right(), iov);
  world().barrier();
  const auto sent = patterned(1000, static_cast<std::size_t>(left()));
  EXPECT_TRUE(std::equal(sent.begin(), sent.begin() + 100, piece.local().begin()));
  EXPECT_TRUE(std::equal(sent.begin() + 200, sent.end(), piece.local().begin() + 200));
  EXPECT_TRUE(std::ranges::all_of(piece.local().subspan(100, 100), [](auto x) { return x == 0; }));
  world().barrier();
  piece.free();
}

TEST(Vector, no_lists_and_empty_lists_move_nothing) {
  EXPECT_FALSE(caught([] { armature::put_vector(right(), {}); }));
  EXPECT_FALSE(caught([] { armature::get_vector(right(), {}); }));
  const Iov empty[] = {Iov{}};
  EXPECT_FALSE(caught([&] { armature::put_vector(right(), empty); }));
}

TEST(Vector, one_source_may_be_scattered_to_many_places) {
  auto piece = Reachable<int>(50);
  const int value = 1000 + me();
  List list{.bytes = sizeof(int)};
  for (int i = 0; i < 50; i += 2) list.add(piece.on(right()).address() + i, &value);
  const Iov iov[] = {list.iov()};
  armature::put_vector(right(), iov);
  world().barrier();
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(piece[i], i % 2 == 0 ? 1000 + left() : 0);
  world().barrier();
  piece.free();
}

TEST(Vector, nothing_is_transferred_unless_every_address_is_good) {
  auto piece = Reachable<int>(50);
  const int value = 1;
  int outside = 0;
  List list{.bytes = sizeof(int)};
  for (int i = 0; i < 20; ++i) list.add(piece.on(right()).address() + i, &value);
  list.add(&outside, &value);
  const Iov iov[] = {list.iov()};
  expect_error(armature::Errc::bad_address, {"put_vector"},
               [&] { armature::put_vector(right(), iov); });
  world().barrier();
  EXPECT_TRUE(std::ranges::all_of(piece.local(), [](int x) { return x == 0; }));
  EXPECT_EQ(outside, 0);
  world().barrier();
  piece.free();
}
