// Calls of some elements of an array at once, by a tree, while they move.
#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include <armature/object_array.hpp>

#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::object_array;

namespace {

struct Seat {
  long sum = 0;
  void define_type(armature::typer& t) { t.local(sum); }
  void add(long n, const std::vector<long>& more) {
    sum += n;
    for (const long one : more) sum += one;
  }
  long get() const { return sum; }
  long get_but(long n) const {
    if (sum == n) throw std::out_of_range("it is " + std::to_string(n));
    return sum;
  }
};
using Place = std::tuple<int, int>;
using Hall = object_array<Seat, Place>;
constexpr int rows = 7, columns = 9;

auto in_row(int row) {
  return [row](const Place& at) { return std::get<0>(at) == row; };
}
/// Expects these sums in the seats of each row.
void expect_rows(Hall& hall, std::vector<long> sums) {
  hall.for_all([&](const Place& at, Seat& seat) {
    EXPECT_EQ(seat.sum, sums[static_cast<std::size_t>(std::get<0>(at))]);
  });
}

}  // namespace

RMI_TEST(Sections, a_predicate_selects_elements_in_the_order_of_their_indices) {
  Hall hall(world(), armature::all_indices(rows, columns));
  const auto row = hall.select(in_row(3));
  ASSERT_EQ(row.indices().size(), static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i)
    EXPECT_EQ(row.indices()[static_cast<std::size_t>(i)], Place(3, i));
  EXPECT_TRUE(hall.select([](const Place&) { return false; }).indices().empty());
  world().barrier();
}

RMI_TEST(Sections, a_multicast_reaches_each_once_while_they_move) {
  Hall hall(world(), armature::all_indices(rows, columns));
  const auto mine = hall.select(in_row(me() % rows));
  world().barrier();
  const int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    mine.multicast(&Seat::add, 1L, std::vector<long>{10, 100});
    for (int i = 0; i < columns; ++i)
      hall[{(me() + round) % rows, i}].move_to((me() + i + round) % ranks());
    armature::rmi_poll();
  }
  hall.fence();
  std::vector<long> sums(rows);
  for (int r = 0; r < ranks(); ++r) sums[static_cast<std::size_t>(r % rows)] += 111 * rounds;
  expect_rows(hall, sums);
}

RMI_TEST(Sections, results_are_combined_for_a_callback_while_they_move) {
  Hall hall(world(), armature::all_indices(rows, columns));
  hall.for_all(
      [](const Place& at, Seat& seat) { seat.sum = 100 * std::get<0>(at) + std::get<1>(at); });
  const auto row = hall.select(in_row(2));
  const auto all = hall.section(armature::all_indices(rows, columns));
  world().barrier();
  for (int i = 0; i < columns; ++i) hall[{2, i}].move_to((me() + i) % ranks());
  long told = 0;
  auto done = row.combine(&Seat::get).then([&](long sum) { told = sum; });
  auto most = all.combine(&Seat::get, armature::Maximum());
  EXPECT_EQ(most.get(), 100 * (rows - 1) + columns - 1);
  done.get();
  EXPECT_EQ(told, 200 * columns + columns * (columns - 1) / 2);
  hall.fence();
}

RMI_TEST(Sections, elements_that_are_missing_are_left_out) {
  Hall hall(world());
  const Place mine(me(), 0), missing(me(), 1);
  hall[mine].create(Seat{me() + 1});
  const auto both = hall.section({mine, missing});
  both.multicast(&Seat::add, 5L, std::vector<long>());
  hall.fence();
  EXPECT_EQ(both.combine(&Seat::get).get(), me() + 6);
  expect_error(Errc::bad_argument, {"no elements"},
               [&] { (void)hall.section({missing}).combine(&Seat::get).get(); });
  expect_error(Errc::bad_argument, {"no elements"},
               [&] { (void)hall.section({}).combine(&Seat::get).get(); });
  hall.fence();
}

RMI_TEST(Sections, a_method_that_throws_is_told_to_who_combines) {
  Hall hall(world(), armature::all_indices(rows, columns));
  hall.for_all([](const Place& at, Seat& seat) { seat.sum = std::get<1>(at); });
  auto result = hall.select(in_row(1)).combine(&Seat::get_but, std::plus<>(), 4L);
  EXPECT_THROW(
      {
        try {
          (void)result.get();
        } catch (const armature::RemoteError& error) {
          EXPECT_NE(std::string(error.what()).find("it is 4"), std::string::npos) << error.what();
          throw;
        }
      },
      armature::RemoteError);
  world().barrier();
}
