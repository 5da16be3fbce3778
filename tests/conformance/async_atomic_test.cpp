// Atomics that do not block, and that transfers, atomics and calls complete by one type.
#include <algorithm>
#include <array>
#include <optional>

#include "armature/rank_local.hpp"
#include "reachable.hpp"
#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::future;
using armature::Handle;

namespace {

constexpr std::size_t elements = 20'000;  // longer than a packet

/// Longs at the right neighbour, and as many to send there.
class Numbers {
 public:
  Numbers()
      : place(world().allocate<long>(elements)),
        counter(world().allocate<long>(2)),
        mine(elements, me()) {
    world().barrier();
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers() {
    world().barrier();
    world().free(place);
    world().free(counter);
  }
  [[nodiscard]] Handle put() const { return armature::put_async(place.on(right()), mine); }
  [[nodiscard]] future<long> add(long amount = 1) const {
    return armature::fetch_add_async(counter.on(right()), amount);
  }

  armature::Piece<long> place, counter;
  std::vector<long> mine;
};

int ten_times(int number) { return 10 * number; }

future<long> puts_then_adds(const Numbers& numbers) {
  Handle put = numbers.put();
  co_await put;
  const long found = co_await numbers.add();
  co_await numbers.put();
  co_return found + co_await armature::ask(right(), ten_times, 4);
}

}  // namespace

namespace async_atomic {

template <class T>
class AsyncAtomic : public testing::Test {};
using Integers = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;

TYPED_TEST_SUITE(AsyncAtomic, Integers);

RANKS_TYPED_TEST(AsyncAtomic, each_operation_gives_what_was_there_and_leaves_its_result) {
  using T = TypeParam;
  auto piece = Reachable<T>(3);
  const auto at = piece.on(right()) + 1;
  // Begun together, they take effect in order.
  std::array<future<T>, 8> found = {armature::fetch_add_async(at, T(41)),
                                    armature::fetch_add_async(at, T(-1)),
                                    armature::swap_async(at, T(0b1100)),
                                    armature::fetch_and_async(at, T(0b0110)),
                                    armature::fetch_or_async(at, T(0b0001)),
                                    armature::fetch_xor_async(at, T(0b1111)),
                                    armature::compare_swap_async(at, T(5), T(99)),
                                    armature::compare_swap_async(at, T(0b1010), T(7))};
  const std::array<T, 8> expected = {T(0),      T(41),     T(40),     T(0b1100),
                                     T(0b0100), T(0b0101), T(0b1010), T(0b1010)};
  for (std::size_t i = found.size(); i-- > 0;) EXPECT_EQ(found[i].get(), expected[i]) << i;
  world().barrier();
  EXPECT_EQ(piece[1], T(7));
  EXPECT_EQ(piece[0], T(0));
  EXPECT_EQ(piece[2], T(0));
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(AsyncAtomic, contended_ones_give_every_ticket_once) {
  using T = TypeParam;
  const auto each = static_cast<std::size_t>(often(1000));
  auto counter = Reachable<T>(1);
  world().barrier();
  std::vector<future<T>> found;
  for (std::size_t i = 0; i < each; ++i)
    found.push_back(armature::fetch_add_async(counter.on(0), T(1)));
  std::vector<T> tickets;
  for (auto& one : found) tickets.push_back(one.get());
  EXPECT_TRUE(std::ranges::is_sorted(tickets));
  auto all = std::vector<T>(each * static_cast<std::size_t>(ranks()));
  gather<T>(world(), tickets, all, 0);
  if (me() == 0) {
    std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<T>(i));
  }
  world().barrier();
  counter.free();
}

}  // namespace async_atomic

TEST(AsyncAtomics, wrong_addresses_are_told_at_the_call) {
  auto piece = Reachable<long>(2);
  const armature::global_ptr<long> odd(
      right(), reinterpret_cast<long*>(reinterpret_cast<char*>(piece.on(right()).address()) + 4));
  expect_error(Errc::bad_address, {"fetch_add_async", "multiple of 8"},
               [&] { (void)armature::fetch_add_async(odd, 1L); });
  expect_error(Errc::bad_rank, {"swap_async"}, [&] {
    (void)armature::swap_async(armature::global_ptr<long>(ranks(), piece.on(0).address()), 1L);
  });
  world().barrier();
  piece.free();
}

TEST(AsyncAtomics, one_that_is_dropped_is_done_all_the_same) {
  Numbers numbers;
  for (int i = 0; i < 10; ++i) (void)numbers.add();
  EXPECT_EQ(numbers.add().get(), 10);
}

RMI_TEST(Completion, handles_and_futures_are_awaited_alike) {
  Numbers numbers;
  EXPECT_EQ(puts_then_adds(numbers).get(), 40);
  EXPECT_EQ(numbers.add().get(), 1);
}

RMI_TEST(Completion, then_is_called_when_a_transfer_or_an_atomic_is_complete) {
  Numbers numbers;
  long seen = -1;
  future<long> after = numbers.put().then([&] { return numbers.add(5); }).then([&](long found) {
    seen = found;
    return found + 100;
  });
  EXPECT_EQ(after.get(), 100);
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(numbers.add().then([](long found) { return 2 * found; }).get(), 10);
}

RMI_TEST(Completion, what_a_continuation_throws_is_in_its_future) {
  Numbers numbers;
  future<void> failed = numbers.put().then([] { throw std::out_of_range("no"); });
  EXPECT_THROW(failed.get(), std::out_of_range);
  future<int> failed_too = numbers.add().then([](long) -> int { throw std::out_of_range("no"); });
  EXPECT_THROW((void)failed_too.then([](int n) { return n; }).get(), std::out_of_range);
}

RMI_TEST(Completion, all_of_several_kinds) {
  Numbers numbers;
  auto [put, added, asked, put_again] =
      armature::when_all(numbers.put(), numbers.add(3), armature::ask(right(), ten_times, 7),
                         numbers.put())
          .get();
  EXPECT_EQ(added, 0);
  EXPECT_EQ(asked, 70);
  EXPECT_EQ(put, put_again);
  std::vector<Handle> puts;
  for (int i = 0; i < 10; ++i) puts.push_back(numbers.put());
  armature::when_all(std::move(puts)).get();
  std::vector<future<long>> adds;
  for (int i = 0; i < 10; ++i) adds.push_back(numbers.add());
  const std::vector<long> found = armature::when_all(std::move(adds)).get();
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], 3 + static_cast<long>(i));
}

RMI_TEST(Completion, any_of_several_kinds_gives_its_index_and_the_others) {
  Numbers numbers;
  auto any =
      armature::when_any(numbers.put(), numbers.add(3), armature::ask(right(), ten_times, 7)).get();
  EXPECT_LT(any.index, 3U);
  std::get<0>(any.futures).get();
  EXPECT_EQ(std::get<1>(any.futures).get(), 0);
  EXPECT_EQ(std::get<2>(any.futures).get(), 70);

  std::vector<future<int>> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(armature::ask(right(), ten_times, i));
  std::vector<bool> seen(5, false);
  while (!answers.empty()) {
    auto one = armature::when_any(std::move(answers)).get();
    answers = std::move(one.futures);
    const int answer = answers[one.index].get();
    seen[static_cast<std::size_t>(answer / 10)] = true;
    answers.erase(answers.begin() + static_cast<std::ptrdiff_t>(one.index));
  }
  EXPECT_EQ(std::ranges::count(seen, true), 5);
  expect_error(Errc::bad_argument, {"when_any"},
               [] { (void)armature::when_any(std::vector<future<int>>()); });
}

RMI_TEST(Completion, some_of_a_set_are_those_that_are_complete) {
  Numbers numbers;
  std::vector<Handle> puts;
  std::vector<future<long>> adds;
  for (int i = 0; i < 10; ++i) {
    puts.push_back(numbers.put());
    adds.push_back(numbers.add());
  }
  std::array<std::size_t, 10> which{};
  const std::size_t put = armature::wait_some(puts, which);
  ASSERT_GE(put, 1U);
  for (std::size_t i = 0; i < put; ++i) EXPECT_TRUE(puts[which[i]].is_empty());
  EXPECT_TRUE(std::is_sorted(which.begin(), which.begin() + static_cast<std::ptrdiff_t>(put)));
  const std::size_t added = armature::wait_some(adds, which);
  ASSERT_GE(added, 1U);
  for (std::size_t i = 0; i < added; ++i) EXPECT_TRUE(adds[which[i]].is_settled());
  armature::wait_all(puts);
  armature::wait_all(adds);
  EXPECT_TRUE(armature::test_all(puts) && armature::test_all(adds));
  EXPECT_EQ(armature::test_some(puts, which), 10U);
  EXPECT_EQ(armature::test_some(adds, which), 10U);
  EXPECT_EQ(armature::test_any(adds), 0U);
  for (std::size_t i = 0; i < adds.size(); ++i) EXPECT_EQ(adds[i].get(), static_cast<long>(i));
  expect_error(Errc::bad_argument, {"wait_some"},
               [&] { (void)armature::wait_some(puts, std::span(which).first(3)); });
  expect_error(Errc::bad_argument, {"wait_any"},
               [] { (void)armature::wait_any(std::vector<future<int>>()); });
}

namespace {

/// A rank waits for this while others call it; `fetched` is what was fetched of it.
struct Look {
  future<long>* at = nullptr;
  std::vector<long> fetched;
};
armature::rank_local<Look> look;

void look_at_what_is_waited_for() {
  if (look->at == nullptr || !look->at->valid() || !look->at->test()) return;
  look->fetched.push_back(look->at->get());
}

}  // namespace

RMI_TEST(Completion, a_method_may_fetch_what_its_rank_waits_for) {
  if (calls_come_at_any_time()) return;  // not only while it waits
  Numbers numbers;
  EXPECT_EQ(numbers.add().get(), 0);
  for (int round = 1; round <= often(200); ++round) {
    Handle put = numbers.put();
    future<long> one = numbers.add();
    look->fetched.clear();
    look->at = &one;
    armature::async(right(), look_at_what_is_waited_for);
    if (one.valid()) one.wait();
    look->at = nullptr;
    if (one.valid()) look->fetched.push_back(one.get());
    EXPECT_EQ(look->fetched, std::vector<long>{round});
    put.wait();
  }
}

RMI_TEST(Completion, sets_pass_over_what_was_fetched) {
  Numbers numbers;
  std::vector<future<long>> adds;
  for (int i = 0; i < 4; ++i) adds.push_back(numbers.add());
  EXPECT_EQ(adds[0].get(), 0);
  EXPECT_EQ(adds[2].get(), 2);
  std::array<std::size_t, 4> which{};
  const std::size_t any = armature::wait_any(adds);
  EXPECT_TRUE(any == 1 || any == 3);
  armature::wait_all(adds);
  EXPECT_TRUE(armature::test_all(adds));
  EXPECT_EQ(armature::test_any(adds), 1U);
  EXPECT_EQ(armature::wait_some(adds, which), 2U);
  EXPECT_EQ(armature::test_some(adds, which), 2U);
  EXPECT_EQ(which[0], 1U);
  EXPECT_EQ(which[1], 3U);
  auto first = armature::when_any(std::move(adds)).get();
  adds = std::move(first.futures);
  EXPECT_EQ(first.index, 1U);
  EXPECT_EQ(adds[1].get(), 1);
  auto under_way = armature::ask(right(), ten_times, 1);
  auto two = armature::when_any(std::move(adds[0]), std::move(under_way)).get();
  EXPECT_EQ(two.index, 1U);
  EXPECT_EQ(std::get<1>(two.futures).get(), 10);
  EXPECT_EQ(adds[3].get(), 3);
  armature::wait_all(adds);
  EXPECT_TRUE(armature::test_all(adds));
  EXPECT_EQ(armature::test_any(adds), adds.size());
  EXPECT_EQ(armature::test_some(adds, which), 0U);
  expect_error(Errc::bad_argument, {"wait_any"}, [&] { (void)armature::wait_any(adds); });
  expect_error(Errc::bad_argument, {"wait_some"}, [&] { (void)armature::wait_some(adds, which); });
  expect_error(Errc::bad_argument, {"when_any"},
               [&] { (void)armature::when_any(std::move(adds)); });
  expect_error(Errc::misuse, {"future::share"}, [] { (void)future<long>().share(); });
}
