// Methods that are declared as concurrent (armature/concurrent.hpp). In jobs without threads for
// them they are executed as all methods: what a caller sees is the same.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "armature/concurrent.hpp"
#include "rmi.hpp"

using namespace conformance;
using armature::concurrent_methods;
using armature::Errc;
using armature::shared;
using armature::shared_ref;

namespace {

/// How many methods may run at once on a rank: N of --service-threads N.
int threads_for_methods() {
  const char* const threads = std::getenv("ARMATURE_SERVICE_THREADS");
  return threads == nullptr ? 0 : std::atoi(threads);
}

/// Whether concurrent methods may make remote calls.
bool may_call() { return armature::rank_kind() == armature::RankKind::process; }

/// Waits without a call of the library.
template <class Condition>
bool spin_until(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

struct Book {
  /// Returns whether so many are in here at the same time.
  bool meet(int count) {
    ++here;
    return spin_until([&] { return here >= count; });
  }
  void open() { is_open = true; }
  bool await_open() {
    ++begun;
    return spin_until([&] { return is_open.load(); });
  }
  [[nodiscard]] int begun_so_far() const { return begun; }

  /// No two of these run at once.
  void write(long value) {
    if (is_writing.exchange(true)) ++collisions;
    sum += value;
    is_writing = false;
  }
  void note(long value) { noted += value; }
  [[nodiscard]] std::vector<long> list(long length) const {
    std::vector<long> all(static_cast<std::size_t>(length));
    std::iota(all.begin(), all.end(), 1);
    return all;
  }
  long add_up(std::span<const long> values, std::string_view text) {
    return std::accumulate(values.begin(), values.end(), static_cast<long>(text.size()));
  }
  long refuse(long value) {
    if (value > 0) throw std::runtime_error("not " + std::to_string(value));
    return value;
  }
  long overloaded(long value) const { return value; }
  long overloaded(const std::string& text) const { return static_cast<long>(text.size()) + 100; }

  /// As long as the hops last, the next rank is asked.
  long hop(shared_ref<Book> all, int hops) {
    return hops == 0 ? 0 : 1 + all.sync(right(), &Book::hop, all, hops - 1);
  }
  long hop_for_ever(shared_ref<Book> all) {
    return 1 + all.sync(right(), &Book::hop_for_ever, all);
  }
  /// An ordinary method, which waits for a concurrent one of this rank that calls, in turn.
  long ask_round(shared_ref<Book> all, int back_to) {
    return all.sync(right(), &Book::ask_back, all, back_to);
  }
  long ask_back(shared_ref<Book> all, int to) { return all.sync(to, &Book::hop, all, ranks()); }
  /// Waits for gate after gate of rank 0, by calls.
  int pass(shared_ref<Book> all, int gate) {
    ++begun;
    for (int looks = 1;; ++looks)
      if (all.sync(0, &Book::gate_is_open, gate)) return looks;
  }
  [[nodiscard]] bool gate_is_open(int gate) const { return gates >= gate; }
  void spread(shared_ref<Book> all, int depth) {
    noted += 1;
    if (depth == 0) return;
    all.async(right(), &Book::spread, all, depth - 1);
    all.async(me(), &Book::spread, all, depth - 1);
  }

  using concurrent_methods =
      armature::concurrent_methods<&Book::meet, &Book::await_open, &Book::note, &Book::list,
                                   &Book::add_up, &Book::refuse, &Book::hop, &Book::hop_for_ever,
                                   &Book::pass, &Book::spread>;

  std::atomic<int> here = 0, begun = 0, gates = 0;
  std::atomic<bool> is_open = false, is_writing = false;
  std::atomic<long> noted = 0;
  long sum = 0, collisions = 0;
};

/// Tells by the count whether a method of it ran when it was gone.
struct Guarded {
  explicit Guarded(std::atomic<int>& the_count) : count(the_count) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { is_here = false; }
  void work() {
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
    count += is_here ? 1 : 1000;
  }
  using concurrent_methods = armature::concurrent_methods<&Guarded::work>;
  std::atomic<bool> is_here = true;
  std::atomic<int>& count;
};

}  // namespace

RMI_TEST(RmiConcurrent, methods_run_beside_each_other) {
  const int count = std::min(threads_for_methods() - 1, 3);
  if (count < 1) GTEST_SKIP() << "needs --service-threads N";
  shared<Book> book(world());
  std::vector<armature::future<bool>> met;
  for (int i = 0; i < count; ++i) met.push_back(book.ask(right(), &Book::meet, count));
  for (auto& one : met) EXPECT_TRUE(one.get());
  world().barrier();
}

// It ends only when an ordinary method has run beside it.
RMI_TEST(RmiConcurrent, a_method_runs_beside_ordinary_ones) {
  if (threads_for_methods() < 2) GTEST_SKIP() << "needs --service-threads N";
  shared<Book> book(world());
  auto opened = book.ask(right(), &Book::await_open);
  book.async(right(), &Book::open);
  EXPECT_TRUE(opened.get());
  world().barrier();
}

RMI_TEST(RmiConcurrent, ordinary_methods_stay_one_at_a_time) {
  shared<Book> book(world());
  const long times = often(500);
  for (long i = 1; i <= times; ++i)
    for (int r = 0; r < ranks(); ++r) {
      book.async(r, &Book::write, i);
      book.async(r, &Book::note, i);
    }
  armature::rmi_fence();
  const long all = ranks() * times * (times + 1) / 2;
  EXPECT_EQ(book->sum, all);
  EXPECT_EQ(book->noted, all) << "the fence waits for concurrent methods";
  EXPECT_EQ(book->collisions, 0);
}

RMI_TEST(RmiConcurrent, arguments_and_results_of_any_length) {
  shared<Book> book(world());
  for (const long length : {0L, 1L, 5L, 6L, 1000L, 20'000L}) {
    const auto all = book.sync(right(), &Book::list, length);
    ASSERT_EQ(static_cast<long>(all.size()), length);
    EXPECT_EQ(book.sync(left(), &Book::add_up, all, "some text"), 9 + length * (length + 1) / 2);
  }
  EXPECT_EQ(book.sync(right(), armature::overload<long>(&Book::overloaded), 7L), 7);
  EXPECT_EQ(book.sync(right(), armature::overload<const std::string&>(&Book::overloaded), "abc"),
            103);
}

RMI_TEST(RmiConcurrent, function_objects_too) {
  const long base = me();
  const auto f = armature::concurrent(
      [base](const std::vector<long>& v) { return base + static_cast<long>(v.size()); });
  EXPECT_EQ(armature::sync(right(), f, std::vector<long>(3)), base + 3);
  auto later = armature::ask(right(), f, std::vector<long>(2000));
  EXPECT_EQ(later.get(), base + 2000);
}

RMI_TEST(RmiConcurrent, failures_are_told_to_the_caller) {
  shared<Book> book(world());
  EXPECT_EQ(book.sync(right(), &Book::refuse, 0L), 0);
  try {
    (void)book.sync(right(), &Book::refuse, 7L);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const armature::RemoteError& error) {
    EXPECT_NE(std::string(error.what()).find("not 7"), std::string::npos) << error.what();
    EXPECT_EQ(static_cast<int>(error.rank()), right());
  }
}

RMI_TEST(RmiConcurrent, a_one_way_call_that_fails_goes_to_the_handler) {
  shared<Book> book(world());
  std::atomic<int> told = 0;
  armature::on_async_error([&](armature::Rank, std::string_view text) {
    told += text.find("not 9") != std::string_view::npos ? 1 : 100;
  });
  world().barrier();
  book.async(right(), &Book::refuse, 9L);
  armature::rmi_fence();
  EXPECT_EQ(told, 1);
}

RMI_TEST(RmiConcurrent, calls_that_methods_make_are_waited_for_by_the_fence) {
  if (!may_call() && threads_for_methods() > 1) GTEST_SKIP() << "concurrent methods make no calls";
  shared<Book> book(world());
  constexpr int depth = 7;
  if (me() == 0) book.async(right(), &Book::spread, book.ref(), depth);
  armature::rmi_fence();
  EXPECT_EQ(allreduce(world(), book->noted.load()), (1 << (depth + 1)) - 1);
}

RMI_TEST(RmiConcurrent, chains_of_calls_end) {
  if (!may_call() && threads_for_methods() > 1) GTEST_SKIP() << "concurrent methods make no calls";
  shared<Book> book(world());
  for (const int hops : {0, 1, 2 * ranks(), 30}) {
    EXPECT_EQ(book.sync(right(), &Book::hop, book.ref(), hops), hops);
  }
  world().barrier();
  // More at once than there are threads.
  std::vector<armature::future<long>> all;
  for (int i = 0; i < 20; ++i) all.push_back(book.ask(right(), &Book::hop, book.ref(), 20));
  for (auto& one : all) EXPECT_EQ(one.get(), 20);
  world().barrier();
  EXPECT_THROW((void)book.sync(right(), &Book::hop_for_ever, book.ref()), armature::Error);
  world().barrier();
}

// The ordinary method holds nothing that the concurrent one needs, for which it waits.
RMI_TEST(RmiConcurrent, an_ordinary_method_waits_for_concurrent_ones_that_call) {
  if (!may_call() && threads_for_methods() > 1) GTEST_SKIP() << "concurrent methods make no calls";
  shared<Book> book(world());
  for (int i = 0; i < often(20); ++i)
    EXPECT_EQ(book.sync(right(), &Book::ask_round, book.ref(), right()), ranks());
  world().barrier();
}

// Two that wait on rank 1: the one that began first goes on first, though the other one is above it
// where methods are nested.
RMI_TEST(RmiConcurrent, methods_that_wait_go_on_in_any_order) {
  if (!may_call() || threads_for_methods() < 3 || ranks() < 2)
    GTEST_SKIP() << "needs 2 ranks with --service-threads 3";
  shared<Book> book(world());
  if (me() == 0) {
    auto first = book.ask(1, &Book::pass, book.ref(), 1);
    EXPECT_TRUE(eventually([&] { return book.sync(1, &Book::begun_so_far) == 1; }));
    auto second = book.ask(1, &Book::pass, book.ref(), 2);
    EXPECT_TRUE(eventually([&] { return book.sync(1, &Book::begun_so_far) == 2; }));
    book->gates = 1;
    EXPECT_GT(first.get(), 0);
    EXPECT_FALSE(second.test());
    book->gates = 2;
    EXPECT_GT(second.get(), 0);
  }
  world().barrier();
}

RMI_TEST(RmiConcurrent, an_object_stays_while_a_method_of_it_runs) {
  static std::atomic<int> count;  // of all ranks of the process
  if (me() == 0) count = 0;
  world().barrier();
  int sent = 0;
  for (int i = 0; i < 20; ++i) {
    Guarded guarded(count);
    const armature::registered<Guarded> object(guarded);
    for (int k = 0; k < 3; ++k, ++sent) object.ref().async(&Guarded::work);
    (void)armature::sync(me(), [] { return 0; });  // behind those: they have begun
  }
  armature::rmi_fence();
  const bool is_own = armature::rank_kind() == armature::RankKind::process;
  if (is_own) {
    EXPECT_EQ(count, sent);
  }
  world().barrier();
  EXPECT_LT(count, 1000);
}
