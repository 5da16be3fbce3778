// The order in which calls are executed, what may come between, and what rmi_wait waits for.
#include <string>

#include "rmi.hpp"

using namespace conformance;
using armature::Rank;
using armature::shared;

namespace {

/// Expects each caller's numbers in order.
struct Journal {
  explicit Journal(int callers = 0) : next(static_cast<std::size_t>(callers)) {}
  int note(Rank caller, int number) {
    EXPECT_FALSE(inside) << "a method came between another one's two statements";
    inside = true;
    EXPECT_EQ(number, next[static_cast<std::size_t>(caller)]) << "of rank " << caller;
    next[static_cast<std::size_t>(caller)] = number + 1;
    ++notes;
    inside = false;
    return number;
  }
  void note_long(Rank caller, int number, const std::string& text) {
    EXPECT_EQ(text, std::string(text.size(), static_cast<char>('a' + number % 26)));
    note(caller, number);
  }
  /// Passes a row of notes on, from inside a method.
  void forward(armature::shared_ref<Journal> journal, Rank to, int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) {
      const int number = forwarded++;
      if (bytes == 0)
        journal.async(to, &Journal::note, me(), number);
      else
        journal.async(to, &Journal::note_long, me(), number,
                      std::string(bytes, static_cast<char>('a' + number % 26)));
    }
  }
  std::vector<int> next;
  int notes = 0;
  int forwarded = 0;
  bool inside = false;
};

/// Reads while more may come in, which a thread beside the rank may be executing.
int notes_so_far(const shared<Journal>& journal) {
  return watch([&] { return journal->notes; });
}

void mixed_calls(const shared<Journal>& journal, int count) {
  for (int i = 0; i < count; ++i) {
    if (i % 7 == 3)
      EXPECT_EQ(journal.sync(right(), &Journal::note, me(), i), i);
    else if (i % 11 == 5)
      (void)journal.ask(right(), &Journal::note, me(), i);
    else if (i % 13 == 6)
      journal.async(right(), &Journal::note_long, me(), i,
                    std::string(static_cast<std::size_t>(i) * 50, static_cast<char>('a' + i % 26)));
    else
      journal.async(right(), &Journal::note, me(), i);
  }
}

}  // namespace

RMI_TEST(RmiOrder, calls_of_all_kinds_from_one_rank_to_another_keep_their_order) {
  for (const unsigned aggregation : {0U, 1U, 2U, 64U, 2048U}) {
    const With with(&armature::RmiSettings::aggregation, aggregation);
    shared<Journal> journal(world(), ranks());
    mixed_calls(journal, 1000);
    armature::rmi_fence();
    EXPECT_EQ(journal->next[static_cast<std::size_t>(left())], 1000);
  }
}

RMI_TEST(RmiOrder, calls_made_inside_methods_keep_it_too_when_the_channel_is_full) {
  for (const std::size_t bytes : {0U, 500U, 20000U}) {
    shared<Journal> journal(world(), ranks());
    const int count = bytes > 1000 ? 50 : 5000;  // far more than fits
    for (int i = 0; i < 4; ++i)
      journal.async(right(), &Journal::forward, journal.ref(), right(2), count, bytes);
    armature::rmi_fence();
    EXPECT_EQ(journal->notes, 4 * count);
  }
}

RMI_TEST(RmiOrder, ranks_that_keep_each_other_full_hear_what_others_say) {
  if (ranks() < 3) return;  // nobody else is there
  struct Circle {
    void start(armature::shared_ref<Circle> circle, Rank other) {
      for (int i = 0; i < 4000; ++i) circle.async(other, &Circle::pass, circle, me(), text);
    }
    void pass(armature::shared_ref<Circle> circle, Rank other, const std::string& passed) {
      if (++seen == 4500) circle.async(2, &Circle::end, circle);
      if (!stopped) circle.async(other, &Circle::pass, circle, me(), passed);
    }
    void end(armature::shared_ref<Circle> circle) {
      for (const Rank rank : {0, 1}) circle.async(rank, &Circle::stop);
    }
    void stop() { stopped = true; }
    std::string text = std::string(500, 'c');
    bool stopped = false;
    int seen = 0;
  };
  shared<Circle> circle(world());
  if (me() < 2) circle.async(me(), &Circle::start, circle.ref(), 1 - me());
  armature::rmi_fence();
  EXPECT_TRUE(me() >= 2 || circle->seen >= 4500);
}

RMI_TEST(RmiOrder, changing_the_settings_between_calls_keeps_the_order) {
  shared<Journal> journal(world(), ranks());
  int number = 0;
  for (const unsigned aggregation : {0U, 64U, 2U, 2048U, 1U, 3U, 0U}) {
    const With with(&armature::RmiSettings::aggregation, aggregation);
    for (int i = 0; i < 100; ++i) journal.async(right(), &Journal::note, me(), number++);
  }
  EXPECT_EQ(journal.sync(right(), &Journal::note, me(), number), number);
}

RMI_TEST(RmiOrder, methods_of_many_callers_do_not_interleave) {
  shared<Journal> journal(world(), ranks());
  for (int i = 0; i < 2000; ++i) journal.async(0, &Journal::note, me(), i);
  armature::rmi_fence();
  if (me() == 0) {
    EXPECT_EQ(journal->notes, 2000 * ranks());
  }
}

RMI_TEST(RmiOrder, an_argument_may_change_while_its_call_waits_for_room) {
  // Every rank sends its own list round, and others lengthen it while the ring is full.
#if defined(__SANITIZE_THREAD__)
  if (calls_come_at_any_time()) GTEST_SKIP() << "another thread changes what this one hands over";
#endif
  struct Lists {
    void lengthen() { list.resize(list.size() + 20, 7); }
    void check(const std::vector<int>& got) {
      for (const int value : got) wrong += value == 7 ? 0 : 1;
      ++checked;
    }
    std::vector<int> list = std::vector<int>(10, 7);
    int wrong = 0, checked = 0;
  };
  shared<Lists> lists(world());
  for (int i = 0; i < 300; ++i) {
    lists.async(right(), &Lists::lengthen);
    lists.async(right(), &Lists::check, lists->list);
  }
  armature::rmi_fence();
  EXPECT_EQ(lists->checked, 300);
  EXPECT_EQ(lists->wrong, 0);
}

namespace {

/// Numbers from one caller, wherever they are noted.
struct Sequence {
  void note(int number) { wrong += number == seen++ ? 0 : 1; }
  void note_twice(int number, long again) {
    note(number);
    note(static_cast<int>(again));
  }
  int seen = 0, wrong = 0;
};

/// Passes each number on to where the rank's own calls go too.
struct Relay {
  void pass(armature::shared_ref<Sequence> to, Rank rank, int number) {
    to.async(rank, &Sequence::note, number);
  }
};

}  // namespace

// A call like the one before it on its way is told by less (detail/request.hpp).
RMI_TEST(RmiOrder, calls_like_the_one_before_reach_their_own_method_and_object) {
  shared<Sequence> first(world()), second(world());
  int to_first = 0, to_second = 0;
  for (int i = 0; i < 2000; ++i) {
    // Runs of one to five, of every kind next to every other.
    for (int k = 0; k <= i % 5; ++k) first.async(right(), &Sequence::note, to_first++);
    for (int k = 0; k <= i % 3; ++k) second.async(right(), &Sequence::note, to_second++);
    for (int k = 0; k < i % 4; ++k, to_first += 2)
      first.async(right(), &Sequence::note_twice, to_first, to_first + 1L);
    for (int k = 0; k < i % 2; ++k)
      armature::async(
          right(), [second = second.ref()](int number) { second.local().note(number); },
          to_second++);
    if (i % 7 == 0) second.sync(right(), &Sequence::note, to_second++);
  }
  armature::rmi_fence();
  EXPECT_EQ(first->seen, to_first);
  EXPECT_EQ(second->seen, to_second);
  EXPECT_EQ(first->wrong + second->wrong, 0);
}

RMI_TEST(RmiOrder, calls_like_the_one_before_are_told_apart_from_those_of_methods) {
  shared<Sequence> own(world()), passed(world());
  shared<Relay> relay(world());
  constexpr int count = 20'000;  // far more than fits: methods run while room is waited for
  for (int i = 0; i < count; ++i) {
    relay.async(left(), &Relay::pass, passed.ref(), right(0), i);
    own.async(right(), &Sequence::note, i);
  }
  armature::rmi_fence();
  EXPECT_EQ(own->seen, count);
  EXPECT_EQ(passed->seen, count);
  EXPECT_EQ(own->wrong + passed->wrong, 0);
}

RMI_TEST(RmiOrder, calls_like_the_one_before_are_refused_when_its_object_has_gone) {
  int refused = 0;
  armature::on_async_error([&](Rank, std::string_view) { ++refused; });
  const auto cell = armature::make_remote<Sequence>(right());
  for (int i = 0; i < 3; ++i) cell.async(&Sequence::note, i);
  armature::destroy(cell);
  for (int i = 0; i < 5; ++i) cell.async(&Sequence::note, i);
  armature::rmi_fence();
  EXPECT_EQ(refused, 5);
}

// -- waiting and polling
// ------------------------------------------------------------------------------

RMI_TEST(RmiOrder, rmi_wait_returns_for_each_call_that_has_come) {
  shared<Journal> journal(world(), ranks());
  armature::rmi_fence();
  for (int i = 0; i < 5; ++i) journal.async(right(), &Journal::note, me(), i);
  for (int i = 0; i < 5; ++i) {
    armature::rmi_wait();
    EXPECT_GT(notes_so_far(journal), i);
  }
}

RMI_TEST(RmiOrder, calls_that_were_executed_together_count_for_as_many_waits) {
  shared<Journal> journal(world(), ranks());
  armature::rmi_fence();
  for (int i = 0; i < 3; ++i) journal.async(right(), &Journal::note, me(), i);
  while (notes_so_far(journal) < 3) armature::rmi_poll();
  for (int i = 0; i < 3; ++i) armature::rmi_wait();  // all return at once
}

RMI_TEST(RmiOrder, a_call_made_right_after_a_fence_counts_for_the_wait_after_it) {
  shared<Journal> journal(world(), ranks());
  for (int round = 0; round < 300; ++round) {
    if (me() % 2 == 1 && round % 3 == 0) std::this_thread::yield();
    armature::rmi_fence();
    journal.async(right(), &Journal::note, me(), round);
    armature::rmi_wait();
    EXPECT_EQ(journal->notes, round + 1);
  }
}

RMI_TEST(RmiOrder, a_fence_ends_what_was_left_to_wait_for) {
  shared<Journal> journal(world(), ranks());
  journal.async(right(), &Journal::note, me(), 0);
  journal.async(right(), &Journal::note, me(), 1);
  armature::rmi_fence();
  journal.async(right(), &Journal::note, me(), 2);
  armature::rmi_wait();
  EXPECT_EQ(journal->notes, 3) << "the calls before the fence were waited for by it";
}

RMI_TEST(RmiOrder, a_poll_executes_what_has_come_and_nothing_comes_between_otherwise) {
  shared<Journal> journal(world(), ranks());
  const With with(&armature::RmiSettings::poll_every, 0U);
  world().barrier();
  journal.async(me(), &Journal::note, me(), 0);
  if (!calls_come_at_any_time()) {
    EXPECT_EQ(journal->notes, 0);
    armature::rmi_poll();
    EXPECT_EQ(journal->notes, 1);
  } else {  // another thread may be in the middle of it when the poll returns
    EXPECT_TRUE(eventually([&] { return notes_so_far(journal) == 1; }));
  }
  world().barrier();
}

RMI_TEST(RmiOrder, every_nth_call_polls) {
  shared<Journal> journal(world(), ranks());
  const With with(&armature::RmiSettings::poll_every, 10U);
  int seen_at = 0;
  for (int i = 0; i < 20 && seen_at == 0; ++i) {
    journal.async(me(), &Journal::note, me(), i);
    if (notes_so_far(journal) > 0) seen_at = i + 1;
  }
  EXPECT_LE(seen_at, 10);
  if (!calls_come_at_any_time()) {
    EXPECT_EQ(seen_at, 10);
  }
}
