// Object arrays whose indices are of the program's own types.
#include <bitset>
#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <armature/object_array.hpp>

#include "conformance.hpp"

namespace indices {

/// Describes itself; what it does not describe does not count.
struct Place {
  std::string city;
  std::vector<int> floors;
  int visits = 0;
  void define_type(armature::typer& t) {
    t.local(city);
    t.local(floors);
  }
  friend bool operator==(const Place& a, const Place& b) {
    return a.city == b.city && a.floors == b.floors;
  }
};

/// Is its bytes.
struct Cell {
  int x = 0, y = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// Has bytes that do not count, and numbers that are equal though their bytes are not.
struct Point {
  char name = 'p';
  double x = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

/// Says itself how it is printed.
struct Named {
  short number = 0;
  friend bool operator==(Named, Named) = default;
  friend std::string to_string(Named one) { return "no. " + std::to_string(one.number); }
};

}  // namespace indices

template <>
struct std::hash<indices::Point> {
  std::size_t operator()(const indices::Point& p) const {
    return std::hash<double>()(p.x) + static_cast<std::size_t>(p.name);
  }
};

using namespace conformance;
using armature::ArrayIndex;
using armature::Errc;
using armature::object_array;

namespace indices {

struct Unlike {
  int number = 0;
};
struct Padded {
  char name = 'p';
  int number = 0;
  friend bool operator==(const Padded&, const Padded&) = default;
};
struct Fixed {
  explicit Fixed(int the_number) : number(the_number) {}
  friend bool operator==(const Fixed&, const Fixed&) = default;
  int number;
};

static_assert(ArrayIndex<Place> && ArrayIndex<Cell> && ArrayIndex<Point> && ArrayIndex<Named>);
static_assert(ArrayIndex<std::bitset<128>> && ArrayIndex<std::vector<Cell>> &&
              ArrayIndex<std::set<std::string>> && ArrayIndex<std::optional<std::string>> &&
              ArrayIndex<std::variant<int, std::string>> &&
              ArrayIndex<std::tuple<Place, std::bitset<7>>>);
static_assert(!ArrayIndex<double> && !ArrayIndex<std::tuple<int, float>> &&
              !ArrayIndex<std::vector<double>>);
static_assert(!ArrayIndex<Unlike> && !ArrayIndex<Padded> && !ArrayIndex<std::vector<Padded>> &&
              !ArrayIndex<Fixed>);
static_assert(!ArrayIndex<std::string_view> && !ArrayIndex<int*> &&
              !ArrayIndex<std::unique_ptr<int>>);

class Account {
 public:
  void define_type(armature::typer& t) { t.local(sum_); }
  void add(long n) { sum_ += n; }
  long sum() const { return sum_; }

 private:
  long sum_ = 0;
};

/// All ranks use elements of these indices, which are different ones.
template <class Index>
void use(const std::vector<Index>& indices) {
  object_array<Account, Index> all(world(), indices);
  EXPECT_EQ(all.size(), indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    all[indices[i]].async(&Account::add, static_cast<long>(i));
    if (me() == 0) all[indices[i]].move_to(static_cast<int>(i) % ranks());
    all[indices[i]].async(&Account::add, 1L);
  }
  all.fence();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    EXPECT_EQ(all[indices[i]].sync(&Account::sum), ranks() * static_cast<long>(i + 1));
    EXPECT_EQ(all[indices[i]].member(), static_cast<int>(i) % ranks());
  }
  all.fence();
}

TEST(ObjectArrayIndices, are_types_that_describe_themselves) {
  std::vector<Place> places;
  for (int i = 0; i < 12; ++i)
    places.push_back({"town " + std::to_string(i / 4), {i % 4, 7}, me()});
  use(places);
}

TEST(ObjectArrayIndices, are_bit_vectors) {
  std::vector<std::bitset<128>> all(20);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].set(i * 6).set(127 - i);
  use(all);
}

TEST(ObjectArrayIndices, are_bytes_containers_and_types_with_a_hash) {
  use(std::vector<Cell>{{1, 2}, {2, 1}, {1, 1}});
  use(std::vector<std::vector<int>>{{}, {1}, {1, 2, 3}, std::vector<int>(200, 5)});
  object_array<Account, Point> points(world(), {{'a', 0.0}, {'b', 0.0}});
  points[{'a', -0.0}].async(&Account::add, 2L);
  points.fence();
  EXPECT_EQ((points[{'a', 0.0}].sync(&Account::sum)), 2L * ranks());
  EXPECT_EQ((points[{'b', 0.0}].sync(&Account::sum)), 0);
  points.fence();
}

TEST(ObjectArrayIndices, are_named_in_errors) {
  object_array<Account, std::bitset<10>> bits(world());
  object_array<Account, Named> named(world());
  object_array<Account, Cell> cells(world());
  expect_error(Errc::object_gone, {"no element 0000000101"}, [&] { bits[5].destroy(); });
  expect_error(Errc::object_gone, {"no element no. 7"}, [&] { named[Named{7}].destroy(); });
  expect_error(Errc::object_gone, {"no element of the bytes 0100000010000000"}, [&] {
    cells[{1, 16}].destroy();
  });
  bits.fence();
}

}  // namespace indices
