#include <algorithm>
#include <atomic>

#include "conformance.hpp"

// The cells of the table in docs/guide/semantics.md about completion: when a source may be reused,
// and what makes an operation visible to everyone.

using namespace conformance;
using armature::Iov;
using armature::Strided;

namespace {

constexpr std::size_t n = 2000;
using Source = std::vector<std::int64_t>;
using Target = armature::global_ptr<std::int64_t>;
using Transfer = void (*)(Target, const Source&);

constexpr std::size_t counts[] = {n * 8 / 10, 10};
constexpr std::ptrdiff_t strides[] = {n * 8 / 10};
constexpr Strided whole{.counts = counts, .to_strides = strides, .from_strides = strides};

void put_block(Target to, const Source& from) { armature::put(to, from); }
void put_values(Target to, const Source& from) {
  for (std::size_t i = 0; i < n; ++i) armature::put(to + static_cast<std::ptrdiff_t>(i), from[i]);
}
void put_strided(Target to, const Source& from) { armature::put_strided(to, from.data(), whole); }
void put_vector(Target to, const Source& from) {
  void* target[] = {to.address()};
  const void* source[] = {from.data()};
  const Iov iov[] = {{.to = target, .from = source, .bytes = n * 8}};
  armature::put_vector(to.rank(), iov);
}
void accumulate_block(Target to, const Source& from) { armature::accumulate(to, from); }
void accumulate_strided(Target to, const Source& from) {
  armature::accumulate_strided(to, from.data(), whole);
}
void put_async(Target to, const Source& from) { armature::put_async(to, from).wait(); }
void put_nbi(Target to, const Source& from) {
  armature::put_nbi(to, from);
  armature::wait_all();
}
void accumulate_async(Target to, const Source& from) {
  armature::accumulate_async(to, from).wait();
}
void accumulate_nbi(Target to, const Source& from) {
  armature::accumulate_nbi(to, from);
  armature::wait_all(to.rank());
}
void aggregate(Target to, const Source& from) {
  armature::Aggregate requests(to.rank());
  requests.put(to, from);
  requests.wait();
}

const Transfer blocking[] = {put_block,  put_values,       put_strided,
                             put_vector, accumulate_block, accumulate_strided};
const Transfer waited_for[] = {put_async, put_nbi, accumulate_async, accumulate_nbi, aggregate};

/// Transfers to the right, spoils the source at once, then `complete`s; what arrived must be whole.
template <class Complete>
void expect_complete(std::span<const Transfer> transfers, Complete complete) {
  auto piece = world().allocate<std::int64_t>(n);
  for (const Transfer transfer : transfers) {
    Source source(n, me() + 1);
    transfer(piece.on(right()), source);
    std::ranges::fill(source, -1);
    complete();
    EXPECT_TRUE(std::ranges::all_of(piece.local(), [](auto x) { return x == left() + 1; }));
    world().barrier();
    std::ranges::fill(piece.local(), 0);
    world().barrier();
  }
  world().free(piece);
}

/// Says to the right neighbour, without the library, that I am here, and waits for the left one.
class Signal {
 public:
  Signal() : piece_(world().allocate<std::int64_t>(1)) {}
  void pass() {
    ++count_;
    if (armature::same_node(me(), right()))
      std::atomic_ref(*piece_.on(right()).direct()).store(count_);
    else
      armature::put(piece_.on(right()), count_);
    ASSERT_TRUE(eventually([&] { return std::atomic_ref(piece_[0]).load() >= count_; }));
  }
  void close() { world().free(piece_); }

 private:
  armature::Piece<std::int64_t> piece_;
  std::int64_t count_ = 0;
};

}  // namespace

TEST(Semantics, sources_of_blocking_operations_may_be_reused_on_return) {
  expect_complete(blocking, [] { world().barrier(); });
}

TEST(Semantics, sources_of_non_blocking_operations_may_be_reused_after_wait) {
  expect_complete(waited_for, [] { world().barrier(); });
}

TEST(Semantics, fence_makes_puts_and_accumulates_visible_at_the_target) {
  Signal signal;
  const auto complete = [&] {
    armature::fence(right());
    signal.pass();
  };
  expect_complete(blocking, complete);
  expect_complete(waited_for, complete);
  signal.close();
}

TEST(Semantics, fence_all_makes_puts_and_accumulates_visible_everywhere) {
  Signal signal;
  const auto complete = [&] {
    armature::fence_all();
    signal.pass();
  };
  expect_complete(blocking, complete);
  expect_complete(waited_for, complete);
  signal.close();
}

TEST(Semantics, barrier_makes_puts_and_accumulates_visible_everywhere) {
  auto all = world().duplicate();
  expect_complete(blocking, [&] { all.barrier(); });
  expect_complete(waited_for, [&] { all.barrier(); });
}

TEST(Semantics, what_was_put_to_one_rank_can_be_got_by_all_after_a_fence) {
  auto piece = world().allocate<std::int64_t>(static_cast<std::size_t>(ranks()));
  Signal signal;
  armature::put(piece.on(0) + me(), me() + 1);
  armature::fence(0);
  signal.pass();
  EXPECT_EQ(armature::get(piece.on(0) + left()), left() + 1);
  world().barrier();
  signal.close();
  world().free(piece);
}

TEST(Semantics, a_blocking_get_holds_its_data_on_return) {
  auto piece = world().allocate<std::int64_t>(n);
  std::ranges::fill(piece.local(), me());
  world().barrier();
  Source into(n, -1);
  armature::get(into, piece.on(right()));
  EXPECT_EQ(into, Source(n, right()));
  std::ranges::fill(into, -1);
  armature::get_strided(into.data(), piece.on(right()), whole);
  EXPECT_EQ(into, Source(n, right()));
  world().barrier();
  world().free(piece);
}

TEST(Semantics, a_non_blocking_get_holds_its_data_after_wait) {
  auto piece = world().allocate<std::int64_t>(n);
  std::ranges::fill(piece.local(), me());
  world().barrier();
  Source into(n, -1);
  armature::get_async(into, piece.on(right())).wait();
  EXPECT_EQ(into, Source(n, right()));
  std::ranges::fill(into, -1);
  armature::get_nbi(into, piece.on(right()));
  armature::wait_all();
  EXPECT_EQ(into, Source(n, right()));
  std::ranges::fill(into, -1);
  armature::Aggregate requests(right());
  requests.get(into.data(), piece.on(right()), n);
  requests.wait();
  EXPECT_EQ(into, Source(n, right()));
  world().barrier();
  world().free(piece);
}

TEST(Semantics, an_atomic_has_taken_effect_for_everyone_on_return) {
  auto piece = world().allocate<std::int64_t>(1);
  Signal signal;
  for (int round = 1; round <= 100; ++round) {
    EXPECT_EQ(armature::fetch_add(piece.on(right()), 1), round - 1);
    signal.pass();
    EXPECT_GE(std::atomic_ref(piece[0]).load(), round);
  }
  world().barrier();
  signal.close();
  world().free(piece);
}

TEST(Semantics, gets_from_different_ranks_deliver_in_any_order_but_all) {
  auto piece = world().allocate<std::int64_t>(n);
  std::ranges::fill(piece.local(), me());
  world().barrier();
  std::vector<Source> into(static_cast<std::size_t>(ranks()), Source(n, -1));
  for (int rank = 0; rank < ranks(); ++rank)
    armature::get_nbi(into[static_cast<std::size_t>(rank)], piece.on(rank));
  armature::wait_all();
  for (int rank = 0; rank < ranks(); ++rank)
    EXPECT_EQ(into[static_cast<std::size_t>(rank)], Source(n, rank));
  world().barrier();
  world().free(piece);
}
