#include <numeric>

#include "cases.hpp"

using namespace containers;

namespace {

/// Owns something, so it lies in ordinary memory.
std::string text(std::size_t i) { return "element " + std::to_string(i); }

template <class T, class F>
void expect_all(const armature::distributed_vector<T>& vector, std::size_t size, F value) {
  ASSERT_EQ(vector.size(), size);
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(static_cast<T>(vector[i]), value(i)) << i;
  // Nobody leaves while others read.
  vector.fence();
}

}  // namespace

TEST(Vector, elements_of_others_are_read_and_written) {
  armature::distributed_vector<long> numbers(world(), 50);
  armature::distributed_vector<std::string> texts(world(), 50);
  for (std::size_t i = 0; i < 50; ++i)
    if (static_cast<int>(i) % ranks() == me()) {
      numbers[i] = static_cast<long>(i);
      texts[i] = text(i);
    }
  numbers.fence();
  texts.fence();
  expect_all(numbers, 50, [](std::size_t i) { return static_cast<long>(i); });
  expect_all(texts, 50, text);
}

TEST(Vector, elements_have_global_addresses) {
  armature::distributed_vector<long> vector(world(), 10);
  for (std::size_t i = 0; i < 10; ++i) (void)armature::fetch_add(vector.pointer(i), 2);
  vector.fence();
  expect_all(vector, 10, [](std::size_t) { return 2L * ranks(); });
}

TEST(Vector, resize_keeps_what_fits_and_fills_the_rest) {
  armature::distributed_vector<long> numbers(world(), 7, 5);
  armature::generate(numbers, [](std::size_t i) { return static_cast<long>(i); });
  numbers.resize(100, -1);
  expect_all(numbers, 100, [](std::size_t i) { return i < 7 ? static_cast<long>(i) : -1; });
  numbers.resize(3);
  expect_all(numbers, 3, [](std::size_t i) { return static_cast<long>(i); });
  armature::distributed_vector<std::string> texts(world(), 7);
  armature::generate(texts, text);
  texts.resize(20, "new");
  expect_all(texts, 20, [](std::size_t i) { return i < 7 ? text(i) : "new"; });
  texts.clear();
  EXPECT_TRUE(texts.empty());
}

TEST(Vector, flush_appends_what_all_pushed_in_team_order) {
  armature::distributed_vector<std::size_t> vector(world(), 3, std::size_t{7});
  for (int i = 0; i < me(); ++i) vector.push_back(static_cast<std::size_t>(me() * 10 + i));
  EXPECT_EQ(vector.size(), 3U);
  vector.flush();
  std::vector<std::size_t> expected(3, 7);
  for (int m = 0; m < ranks(); ++m)
    for (int i = 0; i < m; ++i) expected.push_back(static_cast<std::size_t>(m * 10 + i));
  EXPECT_EQ(vector.read(0, vector.size()), expected);
  const armature::Blocks even = armature::Blocks::even(expected.size(), ranks());
  EXPECT_EQ(vector.blocks(), even);
  vector.fence();
}

TEST(Vector, clear_and_assign_drop_what_was_pushed) {
  armature::distributed_vector<long> vector(world(), 3);
  vector.push_back(1);
  vector.clear();
  vector.flush();
  EXPECT_EQ(vector.size(), 0U);
  vector.push_back(1);
  vector.assign(4, 2);
  vector.flush();
  expect_all(vector, 4, [](std::size_t) { return 2L; });
}

TEST(Vector, from_local_keeps_the_pieces_until_they_are_balanced) {
  const std::vector<long> mine(me() == 0 ? 20 : 0, 4);
  auto vector = armature::distributed_vector<long>::from_local(world(), mine);
  EXPECT_EQ(vector.local().size(), mine.size());
  vector.balance();
  EXPECT_EQ(vector.blocks(), armature::Blocks::even(20, ranks()));
  expect_all(vector, 20, [](std::size_t) { return 4L; });
}

TEST(Vector, an_element_that_is_not_there_is_an_error) {
  armature::distributed_vector<long> vector(world(), 4);
  conformance::expect_error(armature::Errc::bad_argument, {"no element 4"},
                            [&] { vector.at(4) = 1; });
  for (const std::size_t beyond : {std::size_t{4}, std::size_t{50}}) {
    const std::vector<std::string> words{"distributed_vector",
                                         "no element " + std::to_string(beyond), "one of 4"};
    conformance::expect_error(armature::Errc::bad_argument, words, [&] { vector[beyond] = 1; });
    conformance::expect_error(armature::Errc::bad_argument, words,
                              [&] { (void)std::as_const(vector)[beyond]; });
  }
  conformance::expect_error(armature::Errc::bad_argument, {"3 to 5"},
                            [&] { (void)vector.slice(3, 5); });
  conformance::expect_error(armature::Errc::bad_argument, {"1 to 3 of 2"},
                            [&] { (void)vector.slice(1, 3).slice(1, 3); });
  std::vector<long> three(3);
  conformance::expect_error(armature::Errc::bad_argument, {"1 to 4 of 2"},
                            [&] { vector.slice(1, 3).read(1, std::span(three)); });
  conformance::expect_error(armature::Errc::bad_argument, {"1 to 4 of 2"},
                            [&] { vector.slice(1, 3).write(1, std::span<const long>(three)); });
  vector.fence();
}

TEST(Vector, elements_change_places) {
  armature::distributed_vector<long> vector(world(), 2);
  if (me() == 0) {
    auto first = vector[0], second = vector[1];
    first = 1;
    second = 2;
    std::ranges::swap(first, second);
    EXPECT_EQ(vector.read(0, 2), (std::vector<long>{2, 1}));
    using std::swap;
    swap(first, second);
    EXPECT_EQ(vector.read(0, 2), (std::vector<long>{1, 2}));
  }
  vector.fence();
}

TEST(Range, pieces_cover_it_and_know_their_neighbours) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    const auto range = vector.slice(one.size / 4, one.size);
    const std::vector<long> data(one.data.begin() + static_cast<std::ptrdiff_t>(one.size / 4),
                                 one.data.end());
    expect_elements(range, data);
    const std::size_t begin = range.offset(), end = begin + range.local().size();
    EXPECT_EQ(range.previous(), begin == 0 ? std::nullopt : std::optional(data[begin - 1]));
    EXPECT_EQ(range.next(), end == data.size() ? std::nullopt : std::optional(data[end]));
    for (std::size_t i = begin; i < end; ++i) ASSERT_EQ(range.owner(i), me());
    EXPECT_EQ(range.begin_of(ranks()), data.size());
    range.fence();
  });
}
