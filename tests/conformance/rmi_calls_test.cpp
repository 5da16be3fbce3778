// Methods and functions that can be called remotely: each call runs once, where it should.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "rmi.hpp"

using namespace conformance;
using armature::overload;
using armature::Rank;
using armature::shared;

namespace {

struct Counter {
  void add(int amount) { total += amount; }
  void add_text(const std::string& amount) { total += std::stoi(amount); }
  [[nodiscard]] int get() const { return total; }
  int next() noexcept { return ++total; }
  [[nodiscard]] int twice() const noexcept { return 2 * total; }
  Counter& self(int amount) {
    total += amount;
    return *this;
  }
  void put(int value) { total = value; }
  void put(const std::string& value) { total = static_cast<int>(value.size()); }
  [[nodiscard]] int put(int a, int b) const { return total + a + b; }
  [[nodiscard]] int plus(int amount) const { return total + amount; }
  int total = 0;
};

struct Shape {
  virtual ~Shape() = default;
  [[nodiscard]] virtual std::string name() const { return "shape"; }
  void mark(int value) { marked = value; }
  int marked = 0;
};
struct Named {
  virtual ~Named() = default;
  virtual int number() { return base_number; }
  void set_number(int value) { base_number = value; }
  int base_number = 5;
};
struct Circle : Shape, Named {
  [[nodiscard]] std::string name() const override { return "circle"; }
  int number() override { return 10 * base_number; }
};

int add_two(int a, int b) { return a + b; }
int add_three(int a, int b, int c) noexcept { return a + b + c; }
int here() { return me(); }
std::string text_of(std::size_t bytes) {
  std::string text(bytes, 'a');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + (i * i + bytes) % 26);
  return text;
}
std::string throw_text_of(std::size_t bytes) { throw std::runtime_error(text_of(bytes)); }
std::string join(const std::string& a, std::string b) { return a + b; }

}  // namespace

RMI_TEST(RmiCalls, an_async_runs_on_the_rank_it_names_before_the_fence_ends) {
  shared<Counter> counter(world());
  for (int to = 0; to < ranks(); ++to) counter.async(to, &Counter::add, me() + 1);
  armature::rmi_fence();
  EXPECT_EQ(counter->total, ranks() * (ranks() + 1) / 2);
}

RMI_TEST(RmiCalls, a_sync_gives_what_the_method_returns_there) {
  shared<Counter> counter(world());
  counter->total = 100 + me();
  world().barrier();
  for (int to = 0; to < ranks(); ++to) EXPECT_EQ(counter.sync(to, &Counter::get), 100 + to);
}

RMI_TEST(RmiCalls, a_sync_of_a_void_method_returns_when_it_has_run) {
  shared<Counter> counter(world());
  counter.sync(right(), &Counter::add, 7);
  EXPECT_GE(counter.sync(right(), &Counter::get), 7);
  counter.sync(right(), &Counter::self, 0);
}

RMI_TEST(RmiCalls, ask_gives_a_future_of_the_same) {
  shared<Counter> counter(world());
  counter->total = me();
  world().barrier();
  auto answer = counter.ask(right(), &Counter::get);
  auto done = counter.ask(right(), &Counter::add, 0);
  EXPECT_EQ(answer.get(), right());
  done.get();
}

RMI_TEST(RmiCalls, a_broadcast_reaches_every_member_and_its_future_says_so) {
  shared<Counter> counter(world());
  counter.broadcast(&Counter::add, 1);
  armature::rmi_fence();
  EXPECT_EQ(counter->total, ranks());
  armature::rmi_fence();
  counter.broadcast_async(&Counter::self, 2).get();
  for (int to = 0; to < ranks(); ++to) EXPECT_GE(counter.sync(to, &Counter::get), ranks() + 2);
}

RMI_TEST(RmiCalls, a_reduce_combines_the_answers_in_team_order) {
  struct Letter {
    [[nodiscard]] std::string get(const std::string& after) const { return letter + after; }
    [[nodiscard]] bool odd() const { return letter.size() % 2 == 1; }
    std::string letter = std::string(1, static_cast<char>('a' + me()));
  };
  shared<Letter> letters(world());
  std::string all;
  for (int i = 0; i < ranks(); ++i) all += std::string(1, static_cast<char>('a' + i)) + "-";
  EXPECT_EQ(letters.reduce(&Letter::get, std::plus<>(), std::string("-")), all);
  EXPECT_EQ(letters.reduce_async(&Letter::get, std::plus<>(), "-").get(), all);
  EXPECT_TRUE(letters.reduce(&Letter::odd, std::logical_and<>()));
}

RMI_TEST(RmiCalls, an_overload_is_picked_by_its_parameters) {
  shared<Counter> counter(world());
  if (me() == 0) {
    counter.async(right(), overload<int>(&Counter::put), 5);
    EXPECT_EQ(counter.sync(right(), &Counter::get), 5);
    counter.async(right(), overload<const std::string&>(&Counter::put), "four");
    EXPECT_EQ(counter.sync(right(), overload<int, int>(&Counter::put), 1, 2), 7);
  }
}

RMI_TEST(RmiCalls, const_and_noexcept_methods_are_methods_too) {
  shared<Counter> counter(world());
  if (me() == 0) {
    EXPECT_EQ(counter.sync(right(), &Counter::next), 1);
    EXPECT_EQ(counter.sync(right(), &Counter::twice), 2);
  }
}

RMI_TEST(RmiCalls, arguments_are_converted_to_the_parameters_types_by_the_caller) {
  shared<Counter> counter(world());
  if (me() == 0) {
    counter.async(right(), &Counter::add_text, "41");
    const short one = 1;
    counter.async(right(), &Counter::add, one);
    EXPECT_EQ(counter.sync(right(), &Counter::get), 42);
  }
}

RMI_TEST(RmiCalls, a_virtual_method_runs_as_the_objects_own_class_has_it) {
  shared<Circle> circle(world());
  EXPECT_EQ(circle.sync(right(), &Shape::name), "circle");
  EXPECT_EQ(circle.sync(right(), &Circle::name), "circle");
}

RMI_TEST(RmiCalls, methods_of_a_second_base_find_their_object) {
  shared<Circle> circle(world());
  if (me() == 0) {
    circle.async(right(), &Named::set_number, 4);
    EXPECT_EQ(circle.sync(right(), &Named::number), 40);
    EXPECT_EQ(circle.sync(right(), &Circle::number), 40);
    // The pointers are of members of Circle: they carry what to add to the object's address.
    const auto set = static_cast<void (Circle::*)(int)>(&Named::set_number);
    circle.async(right(), set, 6);
    const auto number = static_cast<int (Circle::*)()>(&Named::number);
    EXPECT_EQ(circle.sync(right(), number), 60);
    circle.async(right(), &Circle::mark, 9);
  }
  armature::rmi_fence();
  EXPECT_EQ(circle->marked, me() == 1 % ranks() ? 9 : 0);
}

RMI_TEST(RmiCalls, functions_and_lambdas_run_on_the_rank_they_are_sent_to) {
  EXPECT_EQ(armature::sync(right(), &here), right());
  EXPECT_EQ(armature::sync(right(), add_two, 1, 2), 3);
  EXPECT_EQ(armature::sync(right(), &add_three, 1, 2, 3), 6);
  EXPECT_EQ(armature::sync(right(), &join, "a", "b"), "ab");
  EXPECT_EQ(armature::sync(right(), [] { return me(); }), right());
  EXPECT_EQ(armature::ask(
                right(), [](int a) { return a + me(); }, 10)
                .get(),
            10 + right());
}

RMI_TEST(RmiCalls, a_lambda_takes_its_captured_values_along) {
  const double factor = 2.5;
  const Rank sender = me();
  const auto scaled = [factor, sender](int n) { return n * factor + sender; };
  EXPECT_EQ(armature::sync(right(), scaled, 4), 10.0 + me());
  int calls = 7;
  const int counted = armature::sync(right(), [calls]() mutable { return ++calls; });
  EXPECT_EQ(counted, 8);
  EXPECT_EQ(calls, 7);
}

RMI_TEST(RmiCalls, a_generic_lambda_takes_what_it_is_given) {
  const auto sum = [](auto a, const auto& b) { return a + b; };
  EXPECT_EQ(armature::sync(right(), sum, 1, 2.5), 3.5);
  EXPECT_EQ(armature::sync(right(), sum, std::string("a"), std::string("b")), "ab");
}

RMI_TEST(RmiCalls, a_function_may_be_broadcast_to_a_team) {
  shared<Counter> counter(world());
  armature::broadcast(
      world(),
      [](armature::shared_ref<Counter> there, int amount) { there.local().total += amount; },
      counter.ref(), 3);
  // Not a value that is broadcast from member 4.
  armature::broadcast(
      world(), [there = counter.ref()](int amount) { there.local().total += amount; }, 4);
  armature::rmi_fence();
  EXPECT_EQ(counter->total, 7 * ranks());
}

RMI_TEST(RmiCalls, the_papers_spellings_do_the_same) {
  shared<Counter> counter(world());
  armature::async_rmi(right(), counter, &Counter::add, 1);
  armature::rmi_wait();
  EXPECT_EQ(armature::sync_rmi(right(), counter, &Counter::get) > 0, true);
  armature::rmi_fence();
  EXPECT_EQ(counter->total, 1);
  armature::rmi_poll();
  armature::rmi_fence();
}

// Results come in the slot, in a packet, and fetched: wherever the borders between these are.
RMI_TEST(RmiCalls, results_of_all_lengths_come_back_whole) {
  const int to = (me() + 1) % ranks();
  for (const std::size_t around : {0, 24, 40, 8192, 16'200, 65'536, 200'000})
    for (std::size_t bytes = around - std::min<std::size_t>(around, 20); bytes < around + 20;
         ++bytes)
      ASSERT_EQ(armature::sync(to, &text_of, bytes), text_of(bytes)) << bytes;
}

RMI_TEST(RmiCalls, texts_of_exceptions_of_all_lengths_come_back_whole) {
  const int to = (me() + 1) % ranks();
  for (const std::size_t bytes : {1, 100, 10'000, 100'000}) {
    try {
      (void)armature::sync(to, &throw_text_of, bytes);
      ADD_FAILURE() << "it returned";
    } catch (const armature::Error& error) {
      EXPECT_NE(std::string(error.what()).find(text_of(bytes)), std::string::npos) << bytes;
    }
  }
}

RMI_TEST(RmiCalls, an_exception_through_several_questions_names_the_rank_where_it_began) {
  const auto ask_on = [](int to) { armature::sync(to, [] { throw std::runtime_error("soup"); }); };
  try {
    armature::sync(right(), ask_on, right(2));
    ADD_FAILURE() << "it returned";
  } catch (const armature::RemoteError& error) {
    EXPECT_EQ(error.what(), "rank " + std::to_string(right(2)) + ": soup");
    EXPECT_EQ(error.rank(), right());
  }
}

RMI_TEST(RmiCalls, the_memory_of_long_results_is_given_back) {
  const int to = (me() + 1) % ranks();
  for (const std::size_t bytes : {10'000, 100'000})
    for (int i = 0; i < 200; ++i)
      if (i % 2 == 0)
        ASSERT_EQ(armature::sync(to, &text_of, bytes).size(), bytes);
      else
        (void)armature::ask(to, &text_of, bytes);  // and nobody looks at the answer
  armature::rmi_fence();
}
