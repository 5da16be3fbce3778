// Things go wrong in elements and on their way, and nothing must hang.
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armature/object_array.hpp>

#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::object_array;

namespace {

/// A number that others ask for.
class Number {
 public:
  Number() = default;
  explicit Number(long start) : sum_(start) {}
  void define_type(armature::typer& t) { t.local(sum_); }

  long sum() const { return sum_; }
  void fail_oddly() { throw 7; }
  long need(armature::object_array_ref<Number, int> cells) const {
    return sum_ == 2 ? cells[77].sync(&Number::sum) : sum_;
  }

 private:
  long sum_ = 0;
};

/// Refuses to be packed, so many times.
struct Reluctant {
  Reluctant() = default;
  explicit Reluctant(int times) : refusals(times) {}
  template <class Archive>
  void serialize(Archive& archive) {
    if (refusals > 0) throw std::runtime_error("not now " + std::to_string(refusals--));
    archive(value);
  }
  int get() const { return value; }
  int refusals = 0;
  int value = 5;
};

/// Refuses to be unpacked, once it is told to.
struct Fragile {
  template <class Archive>
  void serialize(Archive& archive) {
    archive(is_broken);
    if (is_broken && archive.is_unpacking()) throw std::runtime_error("in pieces");
  }
  void break_it() { is_broken = true; }
  bool get() const { return is_broken; }
  bool is_broken = false;
};

/// Asks another one while it is made.
struct Curious {
  Curious() = default;
  explicit Curious(armature::object_array_element<Curious, int> other) {
    (void)other.sync(&Curious::get);
  }
  void add() { ++value; }
  int get() const { return value; }
  int value = 0;
};

}  // namespace

TEST(ObjectArrayFailures, reductions_by_methods_get_done_at_the_limit_of_nesting) {
  const With few(&armature::RmiSettings::nesting_max, 8U);
  object_array<Number, int> cells(world(), armature::all_indices(12),
                                  [](int i) { return Number(i); });
  for (int call = 0; call < 40; ++call)
    armature::async(
        right(),
        [](armature::object_array_ref<Number, int> all) {
          if (all.reduce(&Number::sum) != 66) throw std::logic_error("another sum");
        },
        cells.ref());
  cells.fence();
}

TEST(ObjectArrayFailures, whatever_a_method_throws_settles_its_question) {
  object_array<Number, int> cells(world(), armature::all_indices(4),
                                  [](int i) { return Number(i); });
  expect_error(Errc::remote, {"no std::exception"},
               [&] { cells[me() % 4].sync(&Number::fail_oddly); });
  expect_error(Errc::remote, {"no std::exception"},
               [&] { cells[1].visit([](const Number&) -> int { throw "text"; }); });
  world().barrier();
}

TEST(ObjectArrayFailures, a_reduction_leaves_out_no_element_that_misses_another_one) {
  object_array<Number, int> cells(world(), armature::all_indices(4),
                                  [](int i) { return Number(i); });
  expect_error(Errc::object_gone, {"no element 77"},
               [&] { (void)cells.reduce(&Number::need, std::plus<>(), cells.ref()); });
  world().barrier();
}

TEST(ObjectArrayFailures, an_element_that_cannot_be_sent_stays_and_is_sent_later) {
  object_array<Reluctant, int> all(world());
  std::vector<std::string> told;
  armature::on_async_error([&](armature::Rank, std::string_view text) { told.emplace_back(text); });
  world().barrier();
  int where = 0;
  if (me() == 0) {
    all[0].create(1);
    where = all[0].member();
    all[0].move_to((where + 1) % ranks());
  }
  all.fence();
  if (me() == 0) {
    EXPECT_EQ(all[0].sync(&Reluctant::get), 5);
  }
  all.fence();
  if (me() == 0) {
    EXPECT_EQ(all[0].member(), (where + 1) % ranks());
  }
  EXPECT_EQ(allreduce(world(), told.size()), ranks() > 1 ? 1U : 0U);
  armature::on_async_error(nullptr);
  world().barrier();
}

TEST(ObjectArrayFailures, an_element_that_cannot_be_received_is_gone_and_missed) {
  if (ranks() == 1) return;
  object_array<Fragile, int> all(world(), armature::all_indices(3));
  std::vector<std::string> told;
  armature::on_async_error([&](armature::Rank, std::string_view text) { told.emplace_back(text); });
  world().barrier();
  if (me() == 0) {
    const int where = all[1].member();
    all[1].async(&Fragile::break_it);
    all[1].move_to((where + 1) % ranks());
  }
  all.fence();
  EXPECT_EQ(allreduce(world(), told.size()), 1U);
  if (!told.empty()) {
    EXPECT_NE(told[0].find("in pieces"), std::string::npos) << told[0];
  }
  EXPECT_EQ(all.size(), 2U);
  expect_error(Errc::object_gone, {"no element 1"}, [&] { (void)all[1].sync(&Fragile::get); });
  world().barrier();
  if (me() == 0) {
    all[1].create();
    EXPECT_FALSE(all[1].sync(&Fragile::get));
  }
  EXPECT_EQ(all.size(), 3U);
  armature::on_async_error(nullptr);
  world().barrier();
}

TEST(ObjectArrayFailures, an_index_that_is_given_twice_is_told_to_all) {
  std::vector<int> indices = armature::all_indices(5 * ranks());
  indices.push_back(2);
  expect_error(Errc::bad_argument, {": 2 is twice"},
               [&] { const object_array<Number, int> all(world(), indices); });
}

TEST(ObjectArrayFailures, an_element_whose_constructor_waits_is_created_once) {
  object_array<Curious, int> all(world(), armature::all_indices(1));
  for (int i = 1; i < 20; ++i) {
    int created = 0;
    try {
      all[i].create(all[0]);
      created = 1;
      all[i].async(&Curious::add);
    } catch (const armature::Error& error) {
      EXPECT_EQ(error.code(), Errc::misuse) << error.what();
    }
    EXPECT_EQ(allreduce(world(), created), 1);
    all.fence();
    EXPECT_EQ(all[i].sync(&Curious::get), 1);
    world().barrier();
  }
}
