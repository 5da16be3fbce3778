#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "armature/collectives_async.hpp"
#include "rmi.hpp"

// Threads that the program starts call beside the rank's own thread: docs/guide/threads.md.

using namespace conformance;
using armature::Errc;

namespace {

constexpr int threads = 3;

/// Whether threads that the program starts count as their rank.
bool count_as_rank() { return armature::rank_kind() == armature::RankKind::process; }

/// Runs `body(t)` on each of the threads, and the rank's own as number 0.
template <class Body>
void on_threads(const Body& body) {
  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back([&body, t] { body(t); });
  body(0);
}

/// eventually(), for a thread that does not let others run.
template <class Condition>
bool eventually_refused(const Condition& is_refused) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!is_refused() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return std::chrono::steady_clock::now() < deadline;
}

struct Counted {
  const std::thread::id own = std::this_thread::get_id();
  long calls = 0;
  long elsewhere = 0;  // by another thread than the rank's own
  void count() {
    ++calls;
    elsewhere += std::this_thread::get_id() != own ? 1 : 0;
  }
};

}  // namespace

TEST(Threads, of_a_rank_add_at_the_same_time) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  auto sums = world().allocate<std::int64_t>(3);
  const int rounds = often(500);
  on_threads([&, to = sums.on(right())](int) {
    const std::vector<std::int64_t> one{1};
    for (int i = 0; i < rounds; ++i) {
      (void)armature::fetch_add(to, 1);
      armature::accumulate(to + 1, one);
      (void)armature::fetch_add_async(to + 2, 1).get();
    }
  });
  world().barrier();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(sums[i], rounds * threads) << i;
  world().barrier();
  world().free(sums);
}

// Each has its own handles; a fence covers what its thread, and others before, have put.
TEST(Threads, of_a_rank_put_and_get_by_handles_and_fences) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  constexpr int each = 200;
  auto piece = world().allocate<std::int64_t>(threads * each);
  std::atomic<int> wrong = 0;
  on_threads([&, first = piece.on(right())](int t) {
    std::vector<std::int64_t> sent(each), got(each);
    for (int i = 0; i < each; ++i) {
      sent[static_cast<std::size_t>(i)] = t * each + i;
      armature::put_async(first + t * each + i, sent[static_cast<std::size_t>(i)]).wait();
    }
    armature::fence(right());
    armature::get_async(got, first + t * each).wait();
    if (got != sent) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
  world().barrier();
  for (std::size_t i = 0; i < threads * each; ++i) ASSERT_EQ(piece[i], static_cast<int>(i));
  world().barrier();
  world().free(piece);
}

// The rank's thread executes calls meanwhile, which the others that wait for messages must not.
TEST(Threads, of_a_rank_exchange_messages_while_it_executes_calls) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  armature::shared<Counted> counted(world());
  const int rounds = often(200);
  std::atomic<int> wrong = 0;
  const auto exchange = [&, to = right(), from = left()](int t) {
    for (int i = 0; i < rounds; ++i) {
      auto sent = armature::send_async(to, t, std::as_bytes(std::span(&i, 1)));
      int got = -1;
      (void)armature::receive(from, t, std::as_writable_bytes(std::span(&got, 1)));
      wrong += got != i ? 1 : 0;
      sent.wait();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { exchange(t); });
    for (int i = 0; i < rounds; ++i) {
      counted.async(right(), &Counted::count);
      if (i % 20 == 0) armature::rmi_fence();
    }
    exchange(0);
  }
  armature::rmi_fence();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counted->calls, rounds);
  world().barrier();
}

TEST(Threads, that_wait_for_a_message_execute_no_remote_calls) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  armature::shared<Counted> counted(world());
  world().barrier();
  std::jthread other([from = left()] {
    int got = -1;
    (void)armature::receive(from, 1, std::as_writable_bytes(std::span(&got, 1)));
  });
  counted.async(right(), &Counted::count);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int sent = me();
  armature::send(right(), 1, std::as_bytes(std::span(&sent, 1)));
  other.join();
  armature::rmi_fence();
  EXPECT_EQ(counted->calls, 1);
  if (!calls_come_at_any_time()) EXPECT_EQ(counted->elsewhere, 0);
  world().barrier();
}

TEST(Threads, that_are_in_a_collective_execute_no_remote_calls) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  armature::shared<Counted> counted(world());
  counted.async(right(), &Counted::count);
  auto asked = counted.ask(right(), &Counted::count);
  std::jthread([] { world().barrier(); }).join();
  asked.get();
  armature::rmi_fence();
  EXPECT_EQ(counted->calls, 2);
  if (!calls_come_at_any_time()) EXPECT_EQ(counted->elsewhere, 0);
  world().barrier();
}

TEST(Threads, of_a_rank_make_collective_calls_in_turns) {
  if (!count_as_rank()) GTEST_SKIP() << "threads here are of no rank";
  std::jthread([] { world().barrier(); }).join();
  if (calls_come_at_any_time()) return;  // with service threads nobody notes who waits
  constexpr int goes_on = 9;
  armature::Team alone = world().split(me(), 0);
  std::jthread other([&alone, self = me()] {
    // Nobody else takes part, so it does no harm where the rank's own thread does not wait yet.
    const auto is_refused = [&] {
      const auto error = caught([&] { alone.barrier(); });
      return error && error->code == Errc::misuse &&
             error->message.find("in turns") != std::string::npos;
    };
    EXPECT_TRUE(eventually_refused(is_refused));
    expect_error(Errc::misuse, {"in turns"}, [&] { armature::barrier_async(alone).wait(); });
    armature::send(self, goes_on, std::as_bytes(std::span(&self, 1)));
  });
  int got = -1;
  (void)armature::receive(me(), goes_on, std::as_writable_bytes(std::span(&got, 1)));
  EXPECT_EQ(got, me());
  other.join();
  world().barrier();
}
