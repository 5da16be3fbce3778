// Elements that wait for messages by their tags, in whatever order these come, and move meanwhile.
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <armature/object_array.hpp>

#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::mailbox;
using armature::object_array;

namespace {

struct Letter {
  int from = 0;
  std::vector<long> numbers;
  void define_type(armature::typer& t) {
    t.local(from);
    t.local(numbers);
  }
};

/// A bead of a ring, which computes by both neighbours' numbers of the step before.
class Bead {
 public:
  using Ring = armature::object_array_ref<Bead, int>;

  void define_type(armature::typer& t) {
    t.local(ring_);
    t.local(index_);
    t.local(count_);
    t.local(steps_);
    t.local(step_);
    t.local(value_);
    t.local(moves_);
    t.local(letters_);
    t.local(orders_);
  }
  void start(Ring ring, int index, int count, long steps, bool moves) {
    ring_ = ring;
    index_ = index;
    count_ = count;
    steps_ = steps;
    step_ = 0;
    value_ = index;
    moves_ = moves;
  }
  void begin() {
    send();
    when(this, &Bead::go_on, letters_(step_, 2));
  }
  armature::future<void> run() {
    while (step_ < steps_) {
      send();
      compute(co_await when(letters_(step_, 2)));
    }
  }
  /// Both boxes have something for each step.
  void begin_with_orders() {
    send();
    when(this, &Bead::obey, orders_("step " + std::to_string(step_)), letters_(step_, 2));
  }
  void order(long step, int factor) { orders_.put("step " + std::to_string(step), factor); }

  long value() const { return value_; }
  long step() const { return step_; }
  std::size_t left() const { return letters_.size() + orders_.size(); }
  void move(int member) { ring_[index_].move_to(member); }

 private:
  void send() {
    const Letter letter{index_, {value_, value_ * value_ % 1000}};
    for (const int by : {1, count_ - 1})
      ring_[(index_ + by) % count_].put(&Bead::letters_, step_, letter);
    if (moves_) move(static_cast<int>((step_ + index_) % ring_.team().size()));
  }
  void compute(std::vector<Letter> two) {
    for (const Letter& one : two) {
      const int apart = (one.from - index_ + count_) % count_;
      EXPECT_TRUE(apart == 1 || apart == count_ - 1);
      value_ += one.numbers[0] + 3 * one.numbers[1];
    }
    value_ %= 1'000'003;
    ++step_;
  }
  void go_on(std::vector<Letter> two) {
    compute(std::move(two));
    if (step_ < steps_) begin();
  }
  void obey(int factor, std::vector<Letter> two) {
    value_ *= factor;
    compute(std::move(two));
    if (step_ < steps_) begin_with_orders();
  }

  Ring ring_;
  int index_ = 0, count_ = 1;
  long steps_ = 0, step_ = 0, value_ = 0;
  bool moves_ = false;
  mailbox<Letter> letters_;
  mailbox<int, std::string> orders_;
};

/// The values behind so many steps, by one rank alone.
std::vector<long> serial(int count, long steps, int factor = 1) {
  std::vector<long> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  const auto at = [&](const std::vector<long>& all, int i) {
    return all[static_cast<std::size_t>(i % count)];
  };
  for (long step = 0; step < steps; ++step) {
    const std::vector<long> before = values;
    for (int i = 0; i < count; ++i) {
      long& value = values[static_cast<std::size_t>(i)];
      value *= factor;
      for (const int by : {1, count - 1}) {
        const long other = at(before, i + by);
        value += other + 3 * (other * other % 1000);
      }
      value %= 1'000'003;
    }
  }
  return values;
}

constexpr int beads = 13;
constexpr long steps = 20;

void expect_result(object_array<Bead, int>& ring, int factor = 1) {
  const std::vector<long> expected = serial(beads, steps, factor);
  ring.for_all([&](int index, Bead& bead) {
    EXPECT_EQ(bead.step(), steps);
    EXPECT_EQ(bead.value(), expected[static_cast<std::size_t>(index)]);
    EXPECT_EQ(bead.left(), 0U);
  });
}
void start(object_array<Bead, int>& ring, bool moves) {
  if (me() == 0)
    for (int i = 0; i < beads; ++i) ring[i].async(&Bead::start, ring.ref(), i, beads, steps, moves);
  ring.fence();
}

/// Notes what is called, in which order.
class Diary {
 public:
  void define_type(armature::typer& t) {
    t.local(numbers_);
    t.local(words_);
    t.local(text_);
  }
  void put(long tag, int number) { numbers_.put(tag, number); }
  void wait_for(long tag, std::size_t count) { when(this, &Diary::add, numbers_(tag, count)); }
  void wait_for_both(long tag, long word) {
    when(this, &Diary::add_both, words_(word), numbers_(tag));
  }
  void wait_to_fail(long tag) { when(this, &Diary::fail, numbers_(tag)); }
  /// Each waits for the next, all of which may be there.
  void count_down(int left) {
    text_ += std::to_string(left % 10);
    if (left > 0) when(this, &Diary::count_down, numbers_(left - 1));
  }
  void ask_inside(int) { when(this, &Diary::wait_inside, numbers_(1)); }
  std::string text() const { return text_; }

  mailbox<int> numbers_;
  mailbox<std::unique_ptr<std::string>> words_;

 private:
  void add(std::vector<int> all) {
    for (const int one : all) text_ += std::to_string(one) + " ";
    text_ += ";";
  }
  void add_both(std::unique_ptr<std::string> word, int number) {
    text_ += *word + std::to_string(number) + ";";
  }
  void fail(int number) { throw std::out_of_range("number " + std::to_string(number)); }
  void wait_inside(int) { text_ += std::to_string(when(numbers_(2)).get()); }
  std::string text_;
};

}  // namespace

RMI_TEST(Mailbox, methods_wait_for_the_messages_of_their_step) {
  object_array<Bead, int> ring(world(), armature::all_indices(beads));
  start(ring, false);
  if (me() == 0) ring.broadcast(&Bead::begin);
  ring.fence();
  expect_result(ring);
}

RMI_TEST(Mailbox, elements_move_while_methods_wait) {
  object_array<Bead, int> ring(world(), armature::all_indices(beads));
  start(ring, true);
  for (int i = 0; i < beads; ++i)
    if (i % ranks() == me()) ring[i].async(&Bead::begin);
  for (int round = 0; round < 20; ++round) {
    ring[(me() + round) % beads].move_to((me() + 2 * round) % ranks());
    armature::rmi_poll();
  }
  ring.fence();
  expect_result(ring);
}

RMI_TEST(Mailbox, a_wait_moves_with_its_element) {
  // Nothing has come yet when all elements leave.
  object_array<Diary, int> logs(world(), armature::all_indices(ranks()));
  const auto log = logs[me()];
  log.async(&Diary::wait_for, 5L, 3UL);
  log.async(&Diary::wait_for_both, 7L, 9L);
  log.put(&Diary::numbers_, 5, 1);
  for (int i = 1; i <= ranks(); ++i) log.move_to((me() + i) % ranks());
  logs.fence();
  log.put(&Diary::numbers_, 7, 70);
  log.put(&Diary::numbers_, 5, 2);
  log.put(&Diary::numbers_, 5, 3);
  logs.fence();
  EXPECT_EQ(log.sync(&Diary::text), "1 2 3 ;");
  log.async_visit([](Diary& it) { it.words_.put(9, std::make_unique<std::string>("nine")); });
  logs.fence();
  EXPECT_EQ(log.sync(&Diary::text), "1 2 3 ;nine70;");
  world().barrier();
}

RMI_TEST(Mailbox, coroutines_wait_for_the_messages_of_their_step) {
  for (const bool moves : {false, true}) {
    object_array<Bead, int> ring(world(), armature::all_indices(beads));
    start(ring, moves);
    if (me() == 0) ring.broadcast(&Bead::run);
    EXPECT_TRUE(eventually([&] {
      armature::rmi_poll();
      return ring.transform_reduce(true, std::logical_and<>(),
                                   [](int, const Bead& bead) { return bead.step() == steps; });
    }));
    ring.fence();
    expect_result(ring);
  }
}

RMI_TEST(Mailbox, several_mailboxes_are_waited_for_at_once) {
  object_array<Bead, int> ring(world(), armature::all_indices(beads));
  start(ring, true);
  constexpr int factor = 3;
  // The orders come from the last step to the first, from all ranks, before and after the
  // beginning.
  for (long step = steps - 1; step >= 0; --step) {
    if (step == steps / 2 && me() == 0) ring.broadcast(&Bead::begin_with_orders);
    if (step % ranks() == me())
      for (int i = 0; i < beads; ++i) ring[i].async(&Bead::order, step, factor);
  }
  ring.fence();
  expect_result(ring, factor);
}

RMI_TEST(Mailbox, who_waits_first_gets_the_first_messages) {
  Diary log;
  log.wait_for(1, 2);
  log.wait_for(1, 2);
  log.wait_for(2, 0);
  EXPECT_EQ(log.text(), ";");
  for (const int number : {1, 2, 3}) log.put(1, number);
  EXPECT_EQ(log.text(), ";1 2 ;");
  EXPECT_EQ(log.numbers_.count(1), 1U);
  log.put(1, 4);
  EXPECT_EQ(log.text(), ";1 2 ;3 4 ;");
  EXPECT_EQ(log.numbers_.size(), 0U);
}

RMI_TEST(Mailbox, a_long_chain_of_waits_takes_no_stack) {
  Diary log;
  constexpr int length = 100'000;
  for (int i = 0; i < length; ++i) log.put(i, i);
  log.count_down(length);
  EXPECT_EQ(log.text().size(), length + 1U);
  EXPECT_EQ(log.numbers_.size(), 0U);
}

RMI_TEST(Mailbox, a_method_that_waits_may_wait_for_a_future) {
  // The second number comes while the method that the first one called waits, or before.
  object_array<Diary, int> diaries(world(), armature::all_indices(1));
  const auto diary = diaries[0];
  if (me() == ranks() - 1) diary.put(&Diary::numbers_, 2, 2);
  if (me() == 0) {
    diary.async(&Diary::ask_inside, 0);
    diary.put(&Diary::numbers_, 1, 1);
  }
  diaries.fence();
  EXPECT_EQ(diary.sync(&Diary::text), "2");
  world().barrier();
}

RMI_TEST(Mailbox, a_future_that_is_dropped_takes_nothing) {
  Diary log;
  (void)armature::when(log.numbers_(1));
  auto second = armature::when(log.numbers_(1), log.numbers_(2, 1));
  log.put(1, 10);
  EXPECT_FALSE(second.is_settled());
  log.put(2, 20);
  ASSERT_TRUE(second.is_settled());
  const auto [one, two] = second.get();
  EXPECT_EQ(one, 10);
  EXPECT_EQ(two, std::vector<int>{20});
}

RMI_TEST(Mailbox, a_mailbox_that_ends_tells_who_waits) {
  auto log = std::make_unique<Diary>();
  auto closed = armature::when(log->numbers_(1));
  auto ended = armature::when(log->numbers_(2));
  log->numbers_.close();
  expect_error(Errc::object_gone, {"mailbox"}, [&] { (void)closed.get(); });
  ended = armature::when(log->numbers_(2));
  log.reset();
  expect_error(Errc::object_gone, {"mailbox"}, [&] { (void)ended.get(); });
}

RMI_TEST(Mailbox, mistakes_are_told) {
  Diary log, other;
  expect_error(Errc::bad_argument, {"when", "twice"},
               [&] { (void)armature::when(log.numbers_(1), log.numbers_(1)); });
  struct Stranger {
    void take(int) {}
  } stranger;
  expect_error(Errc::bad_argument, {"when", "no member"},
               [&] { armature::when(&stranger, &Stranger::take, log.numbers_(1)); });
  expect_error(Errc::bad_argument, {"take_now", "3", "0"},
               [&] { (void)log.numbers_.take_now(1, 3); });
}

RMI_TEST(Mailbox, a_method_that_throws_is_told_and_others_are_called) {
  Diary log;
  log.wait_to_fail(1);
  log.wait_for(2, 1);
  log.wait_for(2, 1);
  log.put(2, 5);
  EXPECT_THROW(log.put(1, 7), std::out_of_range);
  log.put(2, 6);
  EXPECT_EQ(log.text(), "5 ;6 ;");

  object_array<Diary, int> logs(world(), armature::all_indices(ranks()));
  std::string told;
  armature::on_async_error([&](armature::Rank, std::string_view text) { told += text; });
  world().barrier();
  logs[me()].async(&Diary::wait_to_fail, 1L);
  logs[me()].put(&Diary::numbers_, 1, 7);
  logs.fence();
  EXPECT_NE(told.find("number 7"), std::string::npos) << told;
  armature::on_async_error(nullptr);
}
