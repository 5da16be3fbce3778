#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "rmi.hpp"

// Threads that the program starts make remote calls for their rank: docs/guide/threads.md. Calls
// are executed by the rank's own thread meanwhile, which is in a call, or polls.

using namespace conformance;
using armature::Errc;
using armature::RmiSettings;

namespace {

constexpr int threads = 3;

/// Whether threads that the program starts count as their rank.
bool count_as_rank() { return armature::rank_kind() == armature::RankKind::process; }

/// Runs `body(t)` on threads from 1 on, while the rank's own executes calls.
template <class Body>
void on_threads(const Body& body) {
  std::atomic<int> under_way = threads;
  std::vector<std::jthread> others;
  for (int t = 1; t <= threads; ++t)
    others.emplace_back([&, t] {
      body(t);
      --under_way;
    });
  while (under_way > 0) armature::rmi_poll();
}

struct Called {
  std::thread::id own = std::this_thread::get_id();
  std::atomic<long> calls = 0;  // also looked at while a service thread executes one
  long sum = 0;
  long elsewhere = 0;  // by another thread than the rank's own
  std::vector<long> last = std::vector<long>(threads + 1, -1);
  long out_of_order = 0;

  void note() {
    ++calls;
    elsewhere += std::this_thread::get_id() != own ? 1 : 0;
  }
  void add(long value) {
    note();
    sum += value;
  }
  void subtract(long value) {
    note();
    sum -= value;
  }
  long twice(long value) {
    note();
    return 2 * value;
  }
  void in_order(int of, long number) {
    note();
    out_of_order += number <= last[static_cast<std::size_t>(of)] ? 1 : 0;
    last[static_cast<std::size_t>(of)] = number;
  }
  void in_order_with(int of, long number, const std::vector<std::int32_t>& values) {
    in_order(of, number);
    for (const std::int32_t value : values) out_of_order += value != number ? 1 : 0;
  }
  long fails() { throw std::runtime_error("it fails"); }
  void sets() {
    expect_error(Errc::misuse, {"inside a remote method"}, [] {
      RmiSettings settings = armature::rmi_settings();
      settings.program_threads = !settings.program_threads;
      armature::set_rmi_settings(settings);
    });
    note();
  }
};

void expect_own_thread_only(const Called& called) {
  if (!calls_come_at_any_time()) EXPECT_EQ(called.elsewhere, 0);
}

}  // namespace

TEST(ThreadCalls, of_every_kind_are_made_at_the_same_time) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  const With shared(&RmiSettings::program_threads, true);
  armature::shared<Called> called(world());
  const int rounds = often(300);
  std::atomic<int> wrong = 0;
  on_threads([&, to = right()](int t) {
    for (int i = 0; i < rounds; ++i) {
      called.async(to, &Called::add, 1L);
      wrong += called.sync(to, &Called::twice, long{i}) != 2 * i ? 1 : 0;
      auto one = called.ask(to, &Called::twice, long{t});
      auto other = called.ask(to, &Called::twice, long{i});
      while (!other.test()) {
      }
      wrong += one.get() != 2 * t || other.get() != 2 * i ? 1 : 0;
    }
  });
  armature::rmi_fence();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(called->calls, threads * 4L * rounds);
  EXPECT_EQ(called->sum, threads * long{rounds});
  expect_own_thread_only(*called);
  end_calls();
}

TEST(ThreadCalls, to_the_own_rank_are_executed_by_its_thread) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  const With shared(&RmiSettings::program_threads, true);
  armature::shared<Called> called(world());
  std::atomic<int> wrong = 0;
  on_threads([&, to = armature::Rank(me())](int t) {
    called.async(to, &Called::add, 1L);
    wrong += called.sync(to, &Called::twice, long{t}) != 2 * t ? 1 : 0;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(called->calls, 2 * threads);
  expect_own_thread_only(*called);
  end_calls();
}

// Calls of one thread, of all lengths: in the ring, and in blocks. There is room for few of them.
TEST(ThreadCalls, of_one_thread_are_executed_in_order_whatever_their_length) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  const With shared(&RmiSettings::program_threads, true);
  armature::shared<Called> called(world());
  const int rounds = often(400);
  on_threads([&, to = right()](int t) {
    for (int i = 0; i < rounds; ++i) {
      const std::size_t length = i % 50 == 0 ? 100'000 : i % 3 == 0 ? 1000 : 4;
      called.async(to, &Called::in_order, t, 2L * i);
      called.async(to, &Called::in_order_with, t, 2L * i + 1,
                   std::vector<std::int32_t>(length, 2 * i + 1));
    }
  });
  armature::rmi_fence();
  EXPECT_EQ(called->calls, threads * 2L * rounds);
  EXPECT_EQ(called->out_of_order, 0);
  expect_own_thread_only(*called);
  end_calls();
}

// A lock orders them; the rank's own thread is one of those that call.
TEST(ThreadCalls, of_threads_that_a_lock_orders_are_executed_in_that_order) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  const With shared(&RmiSettings::program_threads, true);
  armature::shared<Called> called(world());
  const int rounds = often(500);
  std::mutex order;
  long number = 0;
  std::atomic<int> calling = threads;  // others
  const auto call = [&, to = right()] {
    const std::lock_guard locked(order);
    called.async(to, &Called::in_order, 0, number++);
  };
  {
    std::vector<std::jthread> others;
    for (int t = 1; t <= threads; ++t)
      others.emplace_back([&] {
        for (int i = 0; i < rounds; ++i) call();
        --calling;
      });
    for (int i = 0; i < rounds; ++i) {
      // Not call(): while it waited for room it would execute calls, and keep the lock from others.
      {
        const std::unique_lock locked(order, std::try_to_lock);
        if (locked) called.async(right(), &Called::in_order, 0, number++);
      }
      armature::rmi_poll();
    }
    // Until then they may wait for room, which this thread makes.
    while (calling != 0) armature::rmi_poll();
  }
  const long sent = armature::allreduce(world(), number);
  armature::rmi_fence();
  EXPECT_EQ(armature::allreduce(world(), called->calls.load()), sent);
  EXPECT_EQ(called->out_of_order, 0);
  end_calls();
}

TEST(ThreadCalls, that_fail_throw_at_the_thread_that_called) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  const With shared(&RmiSettings::program_threads, true);
  armature::shared<Called> called(world());
  on_threads([&, to = right()](int) {
    EXPECT_THROW((void)called.sync(to, &Called::fails), armature::RemoteError);
    EXPECT_THROW((void)called.ask(to, &Called::fails).get(), armature::RemoteError);
    expect_error(Errc::bad_rank, {}, [&] { called.async(armature::Rank(ranks()), &Called::note); });
  });
  end_calls();
}

// One-way calls of threads are held back with the rank's, and go before a thread waits. The rank's
// own thread does nothing meanwhile.
TEST(ThreadCalls, wait_for_answers_behind_calls_that_were_held_back) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  const With shared(&RmiSettings::program_threads, true);
  const With aggregated(&RmiSettings::aggregation, 1000U);
  armature::shared<Called> called(world());
  constexpr long calls = 42;
  if (me() == 0 && ranks() > 1)
    std::jthread([&, to = right()] {
      for (long i = 0; i < 20; ++i) called.async(to, &Called::in_order, 1, i);
      (void)called.sync(to, &Called::twice, 1L);
      for (long i = 20; i < 40; ++i) called.async(to, &Called::in_order, 1, i);
      (void)called.ask(to, &Called::twice, 1L).get();
    }).join();
  world().barrier();
  EXPECT_EQ(called->calls, ranks() > 1 && me() == 1 ? calls : 0);
  EXPECT_EQ(called->out_of_order, 0);
  end_calls();
}

// The held-back call is what lets the receiver answer. The rank's own thread does nothing.
TEST(ThreadCalls, that_were_held_back_go_before_their_thread_waits_for_a_message) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  const With shared(&RmiSettings::program_threads, true);
  const With aggregated(&RmiSettings::aggregation, 1000U);
  armature::shared<Called> called(world());
  constexpr int answer = 3;
  world().barrier();
  if (me() == 0 && ranks() > 1)
    std::jthread([&, to = right()] {
      int got = 0;
      called.async(to, &Called::note);
      (void)armature::receive(to, answer, std::as_writable_bytes(std::span(&got, 1)));
    }).join();
  if (me() == 1) {
    while (called->calls == 0) armature::rmi_poll();
    const int sent = 1;
    armature::send(armature::Rank(0), answer, std::as_bytes(std::span(&sent, 1)));
  }
  world().barrier();
  EXPECT_EQ(called->calls, me() == 1 ? 1 : 0);
  end_calls();
}

// A thread that names another method between two calls of the rank's own thread.
TEST(ThreadCalls, begin_and_end_between_calls_of_the_ranks_own_thread) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  armature::shared<Called> called(world());
  const armature::Rank to = right();
  for (int round = 0; round < 3; ++round) {
    // Finds room, so that the next one may leave out what the last one has named.
    (void)called.sync(to, &Called::twice, 1L);
    called.async(to, &Called::add, 10L);
    called.async(to, &Called::add, 10L);
    const With shared(&RmiSettings::program_threads, true);
    called.async(to, &Called::add, 10L);
    std::jthread([&] { called.async(to, &Called::subtract, 1L); }).join();
  }
  called.async(to, &Called::add, 10L);
  armature::rmi_fence();
  EXPECT_EQ(called->calls, 16);
  EXPECT_EQ(called->sum, 100 - 3);
  end_calls();
}

TEST(ThreadCalls, are_refused_unless_the_rank_allows_them) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  if (armature::rmi_settings().program_threads || calls_come_at_any_time())
    GTEST_SKIP() << "this job allows them";
  armature::shared<Called> called(world());
  std::jthread([&, to = right()] {
    const std::vector<std::string> words{"started", "RmiSettings::program_threads"};
    expect_error(Errc::misuse, words, [&] { called.async(to, &Called::note); });
    expect_error(Errc::misuse, words, [&] { (void)called.sync(to, &Called::twice, 1L); });
    expect_error(Errc::misuse, words, [&] { (void)called.ask(to, &Called::twice, 1L); });
    armature::rmi_poll();  // looks at the network alone
  }).join();
  armature::rmi_fence();
  EXPECT_EQ(called->calls, 0);
  end_calls();
}

TEST(ThreadCalls, that_execute_others_are_for_the_ranks_own_thread) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  const With shared(&RmiSettings::program_threads, true);
  armature::shared<Called> called(world());
  on_threads([&, to = right()](int) {
    const std::vector<std::string> words{"started", "thread that runs the rank"};
    expect_error(Errc::misuse, words, [] { armature::rmi_fence(); });
    expect_error(Errc::misuse, words, [] { armature::rmi_wait(); });
    expect_error(Errc::misuse, words, [] { (void)armature::rmi_settings(); });
    auto asked = called.ask(to, &Called::twice, 1L);
    expect_error(Errc::misuse, words, [&] { (void)asked.then([](long) {}); });
  });
  end_calls();
}

TEST(ThreadCalls, are_allowed_outside_methods_and_continuations_only) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  armature::shared<Called> called(world());
  called.async(right(), &Called::sets);
  armature::rmi_fence();
  EXPECT_EQ(called->calls, 1);
  // The answer is not there before this rank has executed the call.
  called.ask(armature::Rank(me()), &Called::note).then([&] { called->sets(); }).get();
  EXPECT_EQ(called->calls, 3);
  end_calls();
}

TEST(ThreadCalls, are_not_allowed_where_threads_are_of_no_rank) {
  if (count_as_rank()) GTEST_SKIP() << "threads here are of a rank";
  if (calls_come_at_any_time()) GTEST_SKIP() << "calls take the lock anyway";
  expect_error(Errc::misuse, {"set_rmi_settings", "threads"}, [] {
    RmiSettings settings = armature::rmi_settings();
    settings.program_threads = true;
    armature::set_rmi_settings(settings);
  });
  EXPECT_FALSE(armature::rmi_settings().program_threads);
}
