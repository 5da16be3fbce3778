// Futures: what a split-phase question gives, and what is made of it.
#include <atomic>
#include <chrono>
#include <string>

#include <armature/promise.hpp>

#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::future;
using armature::RemoteError;
using armature::shared;
using armature::shared_ref;

namespace {

int ten_times(int n) { return 10 * n; }
int throws(int n) { throw std::out_of_range("no " + std::to_string(n)); }
void nothing() {}

future<int> add_answers(int a, int b) {
  const int first = co_await armature::ask(right(), ten_times, a);
  const int second = co_await armature::ask(left(), ten_times, b);
  co_return first + second;
}
future<void> fill(std::vector<int>& into, int count) {
  for (int i = 0; i < count; ++i) into.push_back(co_await armature::ask(right(i), ten_times, i));
}
future<std::string> catches() {
  try {
    (void)co_await armature::ask(right(), throws, 3);
  } catch (const RemoteError& error) {
    co_return std::to_string(error.rank());
  }
  co_return "nothing was thrown";
}

}  // namespace

RMI_TEST(RmiFuture, get_waits_and_gives_the_result_once) {
  auto answer = armature::ask(right(), ten_times, 4);
  EXPECT_TRUE(answer.valid());
  EXPECT_EQ(answer.get(), 40);
  EXPECT_FALSE(answer.valid());
  expect_error(Errc::misuse, {"future"}, [&] { (void)answer.get(); });
  expect_error(Errc::misuse, {"future"}, [&] { (void)answer.test(); });
  expect_error(Errc::misuse, {"future"}, [] { future<int>().wait(); });
}

RMI_TEST(RmiFuture, test_becomes_true_though_nothing_else_is_called) {
  for (const unsigned aggregation : {0U, 64U}) {
    const With with(&armature::RmiSettings::aggregation, aggregation);
    auto answer = armature::ask(right(), ten_times, 4);  // all ranks ask and test: all must answer
    EXPECT_TRUE(eventually([&] { return answer.test(); }));
    EXPECT_TRUE(answer.test());
    EXPECT_EQ(answer.get(), 40);
  }
  world().barrier();
}

RMI_TEST(RmiFuture, results_may_be_fetched_in_any_order) {
  std::vector<future<std::string>> answers;
  for (int i = 0; i < 200; ++i)
    answers.push_back(armature::ask(
        right(i), [](int n) { return std::string(static_cast<std::size_t>(n * 20), 'x'); }, i));
  for (std::size_t i = answers.size(); i-- > 0;) EXPECT_EQ(answers[i].get().size(), i * 20);
}

RMI_TEST(RmiFuture, an_exception_comes_with_the_rank_where_it_was_thrown) {
  auto answer = armature::ask(right(), throws, 3);
  try {
    (void)answer.get();
    FAIL() << "nothing was thrown";
  } catch (const RemoteError& error) {
    EXPECT_EQ(error.rank(), right());
    EXPECT_EQ(error.code(), Errc::remote);
    EXPECT_NE(std::string(error.what()).find("no 3"), std::string::npos) << error.what();
  }
  expect_error(Errc::remote, {"no std::exception"},
               [] { armature::sync(right(), [] { throw 5; }); });
}

RMI_TEST(RmiFuture, then_calls_with_the_result) {
  EXPECT_EQ(armature::ask(right(), ten_times, 4).then([](int n) { return n + 1; }).get(), 41);
  EXPECT_EQ(armature::ask(right(), nothing).then([] { return std::string("done"); }).get(), "done");
  int seen = 0;
  armature::ask(right(), ten_times, 5).then([&](int n) { seen = n; }).get();
  EXPECT_EQ(seen, 50);
  armature::ask(right(), nothing).then([&] { seen = 1; }).get();
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(armature::ready_future(3).then([](int n) { return n * 2; }).get(), 6);
  armature::ready_future().then([&] { seen = 2; }).get();
  EXPECT_EQ(seen, 2);
}

RMI_TEST(RmiFuture, long_chains_of_then) {
  const auto begun = std::chrono::steady_clock::now();
  const int links = me() == 0 ? 100'000 : 1000;
  auto chain = armature::ask(right(), ten_times, 1);
  for (int i = 0; i < links; ++i) chain = chain.then([](int n) { return n + 1; });
  EXPECT_EQ(chain.get(), 10 + links);
  // Some 10 ms; half a minute when each costs a look at all others, or the rank falls asleep
  // between two of them.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

RMI_TEST(RmiFuture, many_wait_at_once) {
  static_assert(!std::is_copy_constructible_v<future<int>> &&
                std::is_move_assignable_v<future<int>>);
  std::atomic<int> sum = 0;  // a service thread adds to it beside this rank's looks
  std::vector<armature::remote_promise<int>> promises;
  for (int i = 0; i < 500; ++i) {
    auto [number, promise] = armature::make_promise<int>(me());
    (void)number.then([&](int n) { sum += n; });
    promises.push_back(promise);
  }
  for (int i = 0; i < 10; ++i) EXPECT_EQ(armature::sync(right(), ten_times, i), 10 * i);
  for (const auto& promise : promises) promise.set(2);
  EXPECT_TRUE(eventually([&] {
    armature::rmi_poll();
    return sum == 1000;
  }));
  expect_error(Errc::misuse, {"answered already"}, [&] { promises[0].set(3); });
  world().barrier();
}

RMI_TEST(RmiFuture, an_answer_nobody_waits_for_is_not_mistaken_for_another) {
  using Promise = armature::remote_promise<std::vector<int>>;
  std::vector<Promise> dropped;
  for (int i = 0; i < 100; ++i)
    dropped.push_back(armature::make_promise<std::vector<int>>(right()).second);
  world().barrier();
  // These answers come in the slots of those before, all of which are free again.
  std::vector<future<std::vector<int>>> wanted;
  for (int i = 0; i < 100; ++i) {
    auto [answer, promise] = armature::make_promise<std::vector<int>>(right());
    for (const int length : {3, 10'000})
      armature::async(
          right(), [](Promise late, int n) { late.set(std::vector<int>(std::size_t(n), 1)); },
          dropped[std::size_t(i)], length);
    armature::async(
        right(), [](Promise it, int n) { it.set({n}); }, promise, i);
    wanted.push_back(std::move(answer));
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(wanted[std::size_t(i)].get(), std::vector<int>{i});
  world().barrier();
}

RMI_TEST(RmiFuture, an_exception_passes_by_what_follows) {
  bool called = false;
  auto last = armature::ask(right(), throws, 1)
                  .then([&](int n) {
                    called = true;
                    return n;
                  })
                  .then([&](int) { called = true; });
  expect_error(Errc::remote, {"no 1"}, [&] { last.get(); });
  EXPECT_FALSE(called);
  auto own = armature::ask(right(), nothing).then([]() -> int { throw std::logic_error("own"); });
  EXPECT_THROW((void)own.get(), std::logic_error);
}

RMI_TEST(RmiFuture, a_continuation_may_give_another_future) {
  auto sum = armature::ask(right(), ten_times, 1).then([](int n) {
    return armature::ask(left(), ten_times, n);
  });
  static_assert(std::is_same_v<decltype(sum), future<int>>);
  EXPECT_EQ(sum.get(), 100);
  int seen = 0;
  armature::ask(right(), nothing)
      .then([&] { return armature::ask(left(), ten_times, 2).then([&](int n) { seen = n; }); })
      .get();
  EXPECT_EQ(seen, 20);
  auto fails =
      armature::ask(right(), nothing).then([] { return armature::ask(left(), throws, 9); });
  expect_error(Errc::remote, {"no 9"}, [&] { (void)fails.get(); });
}

RMI_TEST(RmiFuture, nothing_comes_of_empty_ones) {
  auto none = armature::ask(right(), nothing).then([] { return future<int>(); });
  expect_error(Errc::misuse, {"then"}, [&] { (void)none.get(); });
  expect_error(Errc::misuse, {"empty"}, [] { armature::remote_promise<int>().set(3); });
  expect_error(Errc::misuse, {"empty"},
               [] { armature::remote_promise<void>().fail(Errc::misuse, "no"); });
}

RMI_TEST(RmiFuture, continuations_run_while_the_rank_does_other_things) {
  std::atomic<int> done = 0;  // a service thread adds to it beside this rank's looks
  for (int i = 0; i < 50; ++i)
    (void)armature::ask(right(), ten_times, i).then([&](int) { ++done; });
  armature::rmi_fence();
  EXPECT_TRUE(eventually([&] {
    armature::rmi_poll();
    return done == 50;
  }));
}

RMI_TEST(RmiFuture, coroutines_wait_for_answers) {
  EXPECT_EQ(add_answers(1, 2).get(), 30);
  std::vector<int> filled;
  fill(filled, 20).get();
  ASSERT_EQ(filled.size(), 20U);
  EXPECT_EQ(filled[19], 190);
  EXPECT_EQ(catches().get(), std::to_string(right()));
}

RMI_TEST(RmiFuture, many_coroutines_at_once) {
  std::vector<future<int>> sums;
  for (int i = 0; i < 100; ++i) sums.push_back(add_answers(i, i));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)].get(), 20 * i);
}

RMI_TEST(RmiFuture, when_all_of_different_types) {
  auto all =
      armature::when_all(armature::ask(right(), ten_times, 1), armature::ask(right(), nothing),
                         armature::ask(
                             right(), [](int n) { return std::to_string(n); }, 7));
  const auto [number, none, text] = all.get();
  static_assert(std::is_same_v<decltype(none), const std::monostate>);
  EXPECT_EQ(number, 10);
  EXPECT_EQ(text, "7");
}

RMI_TEST(RmiFuture, when_all_of_a_vector) {
  std::vector<future<int>> numbers;
  std::vector<future<void>> nothings;
  for (int i = 0; i < 40; ++i) {
    numbers.push_back(armature::ask(right(i), ten_times, i));
    nothings.push_back(armature::ask(right(i), nothing));
  }
  const auto all = armature::when_all(std::move(numbers)).get();
  ASSERT_EQ(all.size(), 40U);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], 10 * i);
  armature::when_all(std::move(nothings)).get();
  EXPECT_TRUE(armature::when_all(std::vector<future<int>>()).get().empty());
  numbers.clear();
  for (int i = 0; i < 3; ++i)
    numbers.push_back(armature::ask(right(), i == 1 ? throws : ten_times, i));
  auto failing = armature::when_all(std::move(numbers));
  expect_error(Errc::remote, {"no 1"}, [&] { (void)failing.get(); });
}

RMI_TEST(RmiFuture, a_dropped_future_drops_the_answer_not_the_call) {
  struct Count {
    std::string add() {
      ++calls;
      return std::string(100, 'x');  // longer than a reply slot
    }
    int calls = 0;
  };
  shared<Count> count(world());
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) (void)count.ask(right(), &Count::add);
    EXPECT_EQ(count.sync(right(), &Count::add).size(), 100U);
  }
  armature::rmi_fence();
  EXPECT_EQ(count->calls, 2020);
}

RMI_TEST(RmiFuture, futures_may_be_kept_in_shared_objects_and_outlive_their_call) {
  struct Keeper {
    future<int> kept;
  };
  shared<Keeper> keeper(world());
  keeper->kept = armature::ask(right(), ten_times, 5);
  armature::rmi_fence();
  EXPECT_TRUE(keeper->kept.test());
  EXPECT_EQ(keeper->kept.get(), 50);
}

RMI_TEST(RmiFuture, a_result_whose_description_fails_is_an_exception) {
  struct Bad {
    int* inside = nullptr;
    std::string filler = std::string(1000, 'x');
    void define_type(armature::typer& t) {
      t.local(filler);
      t.offset(inside);
    }
  };
  const auto make = [](int) {
    Bad bad;
    bad.inside = reinterpret_cast<int*>(16);
    return bad;
  };
  for (int i = 0; i < 3; ++i)
    expect_error(Errc::bad_argument, {"define_type"},
                 [&] { (void)armature::sync(right(), make, i); });
}
