// Every type that can travel, there and back.
#include <array>
#include <complex>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "rmi.hpp"

using namespace conformance;

namespace {

/// Sends `value` to the next rank, and returns what that returns: what it got.
template <class T>
T there_and_back(const T& value) {
  return armature::sync(
      right(), [](T got) { return got; }, value);
}
template <class T>
void expect_travels(const T& value) {
  EXPECT_EQ(there_and_back(value), value);
  EXPECT_EQ(armature::sync(
                right(), [](const T& got) -> const T& { return got; }, value),
            value);
}

struct Empty {
  bool operator==(const Empty&) const = default;
};
struct Point {
  double x, y;
  bool operator==(const Point&) const = default;
};
/// An object whose bytes travel, though it cannot be made from nothing.
class NoDefault {
 public:
  explicit NoDefault(int n) : n_(n) {}
  bool operator==(const NoDefault&) const = default;
  auto operator<=>(const NoDefault&) const = default;

 private:
  int n_;
};
enum class Color : std::uint8_t { red, green };

}  // namespace

RMI_TEST(RmiMarshal, numbers_enums_and_plain_structs) {
  expect_travels(true);
  expect_travels('x');
  expect_travels(-1.5f);
  expect_travels(std::int64_t{1} << 60);
  expect_travels(Color::green);
  expect_travels(Point{1, 2});
  expect_travels(std::complex<double>(1, -1));
  expect_travels(Empty{});
  expect_travels(NoDefault(7));
}

RMI_TEST(RmiMarshal, strings_of_any_length_and_content) {
  expect_travels(std::string());
  expect_travels(std::string("text"));
  expect_travels(std::string(5, '\0'));
  expect_travels(std::u32string(U"wide"));
  for (const std::size_t bytes : {39U, 40U, 41U, 8000U, 8192U, 9000U, 100000U, 1U << 20})
    expect_travels(std::string(bytes, 'a'));
}

RMI_TEST(RmiMarshal, sequences) {
  expect_travels(std::vector<int>{1, 2, 3});
  expect_travels(std::vector<int>());
  expect_travels(std::vector<Point>{{1, 2}, {3, 4}});
  expect_travels(std::vector<std::string>{"a", "", "ccc"});
  expect_travels(std::vector<std::vector<std::vector<int>>>{{{1}, {}}, {}, {{2, 3}}});
  expect_travels(std::deque<int>{1, 2, 3});
  expect_travels(std::deque<std::string>{"a", "b"});
  expect_travels(std::list<double>{1.5, 2.5});
  expect_travels(std::list<std::string>());
  expect_travels(std::array<int, 3>{1, 2, 3});
  expect_travels(std::array<std::string, 2>{"a", "b"});
  expect_travels(std::array<int, 0>());
}

RMI_TEST(RmiMarshal, vectors_of_bool) {
  expect_travels(std::vector<bool>());
  expect_travels(std::vector<bool>{true, false, true, true});
  std::vector<bool> many(1001);
  for (std::size_t i = 0; i < many.size(); i += 3) many[i] = true;
  expect_travels(many);
}

RMI_TEST(RmiMarshal, containers_of_what_has_no_bytes) {
  expect_travels(std::vector<Empty>(100));
  expect_travels(std::list<Empty>(3));
  expect_travels(std::map<int, Empty>{{1, {}}, {2, {}}});
  expect_travels(std::pair<Empty, int>({}, 4));
  expect_travels(std::tuple<>());
}

RMI_TEST(RmiMarshal, types_without_a_default_constructor_in_containers) {
  expect_travels(std::vector<NoDefault>{NoDefault(1), NoDefault(2)});
  expect_travels(std::deque<NoDefault>{NoDefault(1), NoDefault(2)});
  expect_travels(std::array<NoDefault, 2>{NoDefault(1), NoDefault(2)});
  expect_travels(std::optional(NoDefault(3)));
  expect_travels(std::pair(NoDefault(3), std::string("x")));
  expect_travels(std::map<NoDefault, NoDefault>{{NoDefault(1), NoDefault(2)}});
  expect_travels(std::variant<NoDefault, int>(NoDefault(3)));
  expect_travels(std::variant<NoDefault, std::string>("text"));
}

RMI_TEST(RmiMarshal, pairs_tuples_optionals_and_variants) {
  expect_travels(std::pair(1, std::string("one")));
  expect_travels(std::pair('a', 2.5));
  expect_travels(std::tuple(1, 2.5, std::string("x"), std::vector<int>{1}));
  expect_travels(std::tuple<std::tuple<int>>(1));
  expect_travels(std::optional<int>());
  expect_travels(std::optional(5));
  expect_travels(std::optional(std::string("x")));
  using V = std::variant<std::monostate, int, std::string, std::vector<double>>;
  for (const V& value : {V(), V(4), V("text"), V(std::vector<double>{1, 2})}) expect_travels(value);
}

RMI_TEST(RmiMarshal, associative_containers_in_all_forms) {
  expect_travels(std::map<int, double>{{1, 1.5}, {2, 2.5}});
  expect_travels(std::map<char, int>{{'a', 1}, {'b', 2}});
  expect_travels(std::map<std::string, std::string>{{"a", "b"}, {"", ""}});
  expect_travels(std::multimap<int, std::string>{{1, "a"}, {1, "b"}, {2, "c"}});
  expect_travels(std::set<std::string>{"a", "b"});
  expect_travels(std::multiset<int>{1, 1, 2});
  expect_travels(std::unordered_map<std::string, int>{{"a", 1}, {"b", 2}});
  expect_travels(std::unordered_multimap<int, int>{{1, 2}, {1, 3}});
  expect_travels(std::unordered_set<int>{1, 2, 3});
  expect_travels(std::unordered_multiset<int>{1, 1});
  expect_travels(std::map<int, int>());
}

RMI_TEST(RmiMarshal, nestings_of_all_of_these) {
  using Deep = std::map<std::string, std::vector<std::optional<std::pair<int, std::string>>>>;
  expect_travels(Deep{{"none", {}}, {"some", {{{1, "one"}}, std::nullopt, {{2, "two"}}}}});
  expect_travels(std::vector<std::map<int, std::variant<int, std::list<std::string>>>>{
      {{1, 2}, {2, std::list<std::string>{"a", "b"}}}, {}});
  expect_travels(std::optional<std::optional<std::vector<bool>>>({{true, false}}));
}

RMI_TEST(RmiMarshal, unique_pointers_move_what_they_own) {
  auto owned = std::make_unique<std::string>("mine");
  const auto back = armature::sync(
      right(), [](std::unique_ptr<std::string> got) { return got; }, std::move(owned));
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(*back, "mine");
  const auto nothing = armature::sync(
      right(), [](std::unique_ptr<int> got) { return got; }, std::unique_ptr<int>());
  EXPECT_EQ(nothing, nullptr);
  std::vector<std::unique_ptr<NoDefault>> many;
  many.push_back(std::make_unique<NoDefault>(1));
  many.push_back(nullptr);
  const auto again = armature::sync(
      right(), [](std::vector<std::unique_ptr<NoDefault>> got) { return got; }, std::move(many));
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(*again[0], NoDefault(1));
}

RMI_TEST(RmiMarshal, arguments_and_results_of_a_megabyte) {
  std::vector<std::uint64_t> many(1 << 17);
  std::iota(many.begin(), many.end(), 17U * static_cast<unsigned>(me()));
  expect_travels(many);
  std::map<int, std::string> map;
  for (int i = 0; i < 10000; ++i) map[i] = std::string(100, static_cast<char>('a' + i % 26));
  expect_travels(map);
}

RMI_TEST(RmiMarshal, many_long_arguments_in_a_row) {
  struct Sum {
    void add(const std::vector<int>& values) {
      total = std::accumulate(values.begin(), values.end(), total);
    }
    std::int64_t total = 0;
  };
  armature::shared<Sum> sum(world());
  const std::vector<int> ones(1 << 18, 1);
  for (int i = 0; i < 30; ++i) sum.async(right(), &Sum::add, ones);  // more than may wait
  armature::rmi_fence();
  EXPECT_EQ(sum->total, std::int64_t{30} << 18);
}
