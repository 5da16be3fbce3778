// Methods of elements that are coroutines: while one waits its element stays where it is.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <armature/object_array.hpp>

#include "rmi.hpp"

using namespace conformance;
using armature::object_array;

namespace {

using Promised = armature::remote_promise<long>;
using Asked = armature::remote_promise<Promised>;

/// Adds what it is told later.
class Sum {
 public:
  Sum() = default;
  void define_type(armature::typer& t) { t.local(sum_); }

  armature::future<void> add_when_told(armature::Rank rank, Asked to) {
    auto [number, promise] = armature::make_promise<long>(rank);
    to.set(promise);
    const std::string in_the_frame(100, 'x');
    const long told = co_await number;
    sum_ += told * static_cast<long>(in_the_frame.size());
  }
  long get() const { return sum_; }
  int where() const { return me(); }

  /// Begins what waits, and knows nothing of it.
  void begin_to_add(armature::Rank rank, Asked to) {
    (void)add_twice(rank, to);
    auto [number, promise] = armature::make_promise<long>(rank);
    to.set(promise);
    (void)number.then([this](long told) { sum_ += told; });
  }
  /// Lets others in until it is told to go on.
  void wait(armature::Rank rank, Asked to) {
    auto [number, promise] = armature::make_promise<long>(rank);
    to.set(promise);
    sum_ += number.get();
  }

 private:
  using Number = armature::future<long>;

  /// Waits again in a coroutine that it begins and leaves.
  armature::future<void> add_twice(armature::Rank rank, Asked) {
    auto [number, promise] = armature::make_promise<long>(rank);
    promise.set(1);
    sum_ += co_await number;
    (void)add_later(rank);
  }
  armature::future<void> add_later(armature::Rank rank) {
    for (int i = 0; i < 3; ++i) {
      auto [number, promise] = armature::make_promise<long>(rank);
      armature::async(
          rank, [](Promised to) { to.set(10); }, promise);
      sum_ += co_await number;
    }
  }

  long sum_ = 0;
};

/// Waits while it is made, and lets somebody else tell it.
struct BegunEarly {
  BegunEarly() = default;
  explicit BegunEarly(armature::Rank rank, Asked to) {
    auto [number, promise] = armature::make_promise<long>(rank);
    to.set(promise);
    (void)number.then([this](long told) { *sum += told; });
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum);
  }
  long get() const { return *sum; }
  std::unique_ptr<long> sum = std::make_unique<long>(0);
};

using Cells = object_array<Sum, int>;

/// Calls f with what an element asks to be told, and returns the promise that it gave.
template <class F>
Promised told_by(F f) {
  auto [asked, promise] = armature::make_promise<Promised>(me());
  f(promise);
  return asked.get();
}

/// Lets a coroutine of each element of this rank begin: the promises that they wait for.
std::vector<armature::remote_promise<long>> begin_coroutines(Cells& cells, int each) {
  std::vector<armature::remote_promise<long>> all;
  for (int i = 0; i < each; ++i) {
    auto [asked, promise] = armature::make_promise<armature::remote_promise<long>>(me());
    cells[me() * each + i].async(&Sum::add_when_told, armature::Rank(me()), promise);
    all.push_back(asked.get());
  }
  return all;
}

/// Waits until all elements of this rank are at that member.
bool all_are_at(Cells& cells, int each, int member) {
  return eventually([&] {
    armature::rmi_poll();
    for (int i = 0; i < each; ++i)
      if (!cells[me() * each + i].exists() || cells[me() * each + i].member() != member)
        return false;
    return true;
  });
}

}  // namespace

RMI_TEST(ObjectArrayCoroutines, an_element_that_is_to_move_keeps_what_a_coroutine_writes) {
  constexpr int each = 5;
  Cells cells(world(), armature::all_indices(each * ranks()));
  const auto promises = begin_coroutines(cells, each);
  for (int i = 0; i < each; ++i) cells[me() * each + i].move_to(right());
  cells.fence();
  for (const auto& promise : promises) promise.set(7);
  EXPECT_TRUE(eventually([&] {
    armature::rmi_poll();
    for (int i = 0; i < each; ++i)
      if (cells[me() * each + i].sync(&Sum::get) != 700) return false;
    return true;
  }));
  EXPECT_TRUE(all_are_at(cells, each, right()));
  cells.fence();
  EXPECT_EQ(cells.size(), static_cast<std::size_t>(each * ranks()));
}

RMI_TEST(ObjectArrayCoroutines, an_element_lives_until_its_coroutine_has_ended) {
  constexpr int each = 3;
  std::vector<armature::remote_promise<long>> promises;
  {
    Cells cells(world(), armature::all_indices(each * ranks()));
    promises = begin_coroutines(cells, each);
    for (int i = 0; i < each; ++i) cells[me() * each + i].destroy();
    for (int i = 0; i < each; ++i) cells[me() * each + i].create();
    promises[0].set(1);
    cells.fence();
    for (int i = 0; i < each; ++i) EXPECT_EQ(cells[me() * each + i].sync(&Sum::get), 0);
  }
  // The array is gone.
  for (std::size_t i = 1; i < promises.size(); ++i) promises[i].set(1);
  armature::rmi_fence();
  armature::rmi_poll();
}

RMI_TEST(ObjectArrayCoroutines, an_element_stays_for_all_that_its_methods_begin) {
  Cells cells(world(), armature::all_indices(ranks()));
  const auto mine = cells[me()];
  const Promised last =
      told_by([&](Asked to) { mine.async(&Sum::begin_to_add, armature::Rank(me()), to); });
  const int home = mine.sync(&Sum::where);
  mine.move_to((home + 1) % ranks());
  cells.fence();
  EXPECT_EQ(mine.sync(&Sum::where), home);
  last.set(100);
  EXPECT_TRUE(eventually([&] {
    armature::rmi_poll();
    return mine.sync(&Sum::get) == 131 && mine.sync(&Sum::where) == (home + 1) % ranks();
  })) << mine.sync(&Sum::get);
  cells.fence();
}

RMI_TEST(ObjectArrayCoroutines, an_element_does_not_stay_for_what_others_begin) {
  if (ranks() == 1) return;
  Cells cells(world());
  const auto element = cells[0];
  Promised other;
  if (me() == 0) element.create_on(1);
  cells.fence();
  if (me() == 0) {
    const Promised go_on =
        told_by([&](Asked to) { element.async(&Sum::wait, armature::Rank(me()), to); });
    // It begins on top of the element's method, and waits for longer than that.
    other = told_by([](Asked to) {
      armature::async(
          1,
          [](Asked asked) {
            auto [number, promise] = armature::make_promise<long>(0);
            asked.set(promise);
            (void)number.then([](long) {});
          },
          to);
    });
    element.move_to(0);
    go_on.set(5);
  }
  cells.fence();
  EXPECT_EQ(element.sync(&Sum::where), 0);
  EXPECT_EQ(element.sync(&Sum::get), 5);
  cells.fence();
  if (me() == 0) other.set(1);
}

RMI_TEST(ObjectArrayCoroutines, what_a_constructor_begins_keeps_its_element) {
  object_array<BegunEarly, int> all(world());
  const auto mine = all[me()];
  const Promised kept =
      told_by([&](Asked to) { mine.async_create_on(right(), armature::Rank(me()), to); });
  const Promised destroyed = told_by([&](Asked to) {
    all[me() + ranks()].async_create(armature::Rank(me()), to);
    all[me() + ranks()].async_destroy();
  });
  all.fence();
  destroyed.set(1);
  kept.set(3);
  EXPECT_TRUE(eventually([&] {
    armature::rmi_poll();
    return mine.sync(&BegunEarly::get) == 3 && mine.member() == right();
  }));
  all.fence();
}

RMI_TEST(ObjectArrayCoroutines, a_coroutine_keeps_its_arguments_and_captures) {
  Cells cells(world(), armature::all_indices(ranks()));
  auto [answer, answered] = armature::make_promise<long>(me());
  const auto add = [answered](const int& index, Sum& sum, const std::string& text,
                              const Asked& to) -> armature::future<void> {
    auto [number, promise] = armature::make_promise<long>(index);
    to.set(promise);
    const long told = co_await number;
    answered.set(sum.get() + told * static_cast<long>(text.size()) + index);
  };
  const Promised go_on =
      told_by([&](Asked to) { cells[me()].async_visit(add, std::string(1000, 'y'), to); });
  cells.fence();
  go_on.set(2);
  EXPECT_EQ(answer.get(), 2000 + me());
}

RMI_TEST(ObjectArrayCoroutines, a_coroutine_that_throws_is_told) {
  Cells cells(world(), armature::all_indices(ranks()));
  std::vector<std::string> told;
  armature::on_async_error([&](armature::Rank, std::string_view text) { told.emplace_back(text); });
  world().barrier();
  const auto fail = [](Sum&, const Asked& to) -> armature::future<void> {
    auto [number, promise] = armature::make_promise<long>(me());
    to.set(promise);
    const long told_at_last = co_await number;
    throw std::out_of_range("no " + std::to_string(told_at_last));
  };
  const Promised go_on = told_by([&](Asked to) { cells[me()].async_visit(fail, to); });
  EXPECT_EQ(told.size(), 0U);
  world().barrier();
  go_on.set(7 + me());
  const auto all_told = [&] {
    armature::rmi_poll();
    return allreduce(world(), told.size()) == static_cast<std::size_t>(ranks());
  };
  for (int i = 0; i < 1000 && !all_told(); ++i) armature::rmi_fence();
  EXPECT_TRUE(all_told());
  for (const std::string& text : told) {
    EXPECT_NE(text.find("element "), std::string::npos) << text;
    EXPECT_NE(text.find("called by rank "), std::string::npos) << text;
    EXPECT_NE(text.find(": no "), std::string::npos) << text;
  }
}
