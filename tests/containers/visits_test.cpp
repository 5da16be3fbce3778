// Elements of vectors are visited where they are.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"

using namespace containers;
using armature::Errc;

namespace {

/// Goes on to the element behind, through the whole vector.
struct GoOn {
  void operator()(armature::vector_ref<long> vector, std::size_t i, long& element, long by) const {
    element += by;
    if (i + 1 < vector.size()) vector.async_visit(i + 1, *this, by + 1);
  }
};

/// The sample sort of armi-rmi-2003, figure 3: buckets that grow where they lie.
struct SampleSort {
  std::vector<int> input;

  [[nodiscard]] std::vector<int> execute() const {
    const auto p = static_cast<std::size_t>(ranks());
    const auto id = static_cast<std::size_t>(me());
    armature::distributed_vector<int> splitters(world(), p);
    armature::distributed_vector<std::vector<int>> buckets(world(), p);
    splitters[id] = input.empty() ? 0 : input[input.size() / 2];
    armature::sort(splitters);
    const std::vector<int> bounds = splitters.read(0, p);

    for (const int value : input) {
      const auto dest = std::upper_bound(bounds.begin() + 1, bounds.end(), value) - bounds.begin();
      buckets.async_visit(
          static_cast<std::size_t>(dest) - 1,
          [](std::vector<int>& bucket, int x) { bucket.push_back(x); }, value);
    }
    buckets.fence();
    std::sort(buckets.local()[0].begin(), buckets.local()[0].end());
    buckets.fence();
    return buckets.local()[0];
  }
};

}  // namespace

TEST(Visits, change_each_element_where_it_is) {
  armature::distributed_vector<long> numbers(world(), 40);
  armature::distributed_vector<std::string> texts(world(), 40);
  for (std::size_t i = 0; i < 40; ++i) {
    numbers.async_visit(
        i, [](long& x, long by) { x += by; }, static_cast<long>(i));
    texts.async_visit(
        i,
        [](std::size_t at, std::string& x, std::string_view by) {
          x += std::to_string(at);
          x += by;
        },
        std::string_view("; "));
  }
  numbers.fence();
  texts.fence();
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(numbers.read(i, 1)[0], static_cast<long>(i) * ranks());
    std::string expected;
    for (int m = 0; m < ranks(); ++m) expected += std::to_string(i) + "; ";
    EXPECT_EQ(texts.visit(i, [](const std::string& x) { return x; }), expected);
    EXPECT_EQ(numbers.visit(
                  i,
                  [](std::size_t at, const long& x, long less) {
                    return x - less * static_cast<long>(at);
                  },
                  static_cast<long>(ranks())),
              0);
  }
  numbers.fence();
}

TEST(Visits, of_one_rank_keep_their_order) {
  armature::distributed_vector<std::vector<int>> seen(world(), 6);
  for (int turn = 0; turn < 50; ++turn)
    for (std::size_t i = 0; i < 6; ++i)
      seen.async_visit(
          i, [](std::vector<int>& all, int by) { all.push_back(by); }, me() * 1000 + turn);
  seen.fence();
  for (const std::vector<int>& all : seen.local()) {
    std::vector<int> next(static_cast<std::size_t>(ranks()));
    for (const int by : all) EXPECT_EQ(by % 1000, next[static_cast<std::size_t>(by / 1000)]++);
    EXPECT_EQ(next, std::vector<int>(next.size(), 50));
  }
}

TEST(Visits, go_on_to_others_and_are_done_when_an_algorithm_sees_the_vector) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{2'000}}) {
    armature::distributed_vector<long> numbers(world(), size);
    armature::distributed_vector<long> others(world(), size);
    numbers.async_visit(0, GoOn(), 1L);
    // The vector that is visited may be any of an algorithm's.
    const long n = static_cast<long>(size), sum = ranks() * (n * (n + 1) / 2);
    EXPECT_EQ(armature::inner_product(others, numbers, 0L, std::plus<>(), std::plus<>()), sum);
    EXPECT_EQ(armature::reduce(numbers), sum);
  }
}

TEST(Visits, are_done_before_the_vector_changes) {
  armature::distributed_vector<long> numbers(world(), 10);
  for (std::size_t i = 0; i < 10; ++i) numbers.async_visit(i, [](long& x) { ++x; });
  numbers.resize(12);
  EXPECT_EQ(armature::reduce(numbers), 10 * ranks());
  numbers.async_visit(11, [](long& x) { ++x; });
  EXPECT_EQ(armature::reduce(numbers), 11 * ranks());
  numbers.async_visit(11, [](long& x) { ++x; });
  numbers.assign(5, 1);
  numbers.async_visit(4, [](long& x) { ++x; });
  EXPECT_EQ(armature::reduce(numbers), 5 + ranks());
}

TEST(Visits, build_the_buckets_of_figure_3) {
  for_all_cases([](const Case& one) {
    SampleSort task;
    for (std::size_t i = 0; i < one.data.size(); ++i)
      if (static_cast<int>(i % static_cast<std::size_t>(ranks())) == me())
        task.input.push_back(static_cast<int>(one.data[i]));
    const auto sorted = armature::distributed_vector<int>::from_local(world(), task.execute());
    std::vector<int> expected(one.data.begin(), one.data.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(sorted.read(0, sorted.size()), expected);
    sorted.fence();
  });
}

TEST(Visits, of_an_element_that_is_not_there_are_errors_that_name_it) {
  const armature::distributed_vector<long> numbers(world(), 4);
  const auto nothing = [](const long&) {};
  for (const std::size_t i : {std::size_t{4}, SIZE_MAX}) {
    const std::vector<std::string> words{"distributed_vector", "no element " + std::to_string(i),
                                         "one of 4"};
    conformance::expect_error(Errc::bad_argument, words, [&] { numbers.async_visit(i, nothing); });
    conformance::expect_error(Errc::bad_argument, words, [&] { numbers.visit(i, nothing); });
    conformance::expect_error(Errc::bad_argument, words, [&] { (void)numbers.ref().owner(i); });
  }
  numbers.fence();
}

TEST(Range, an_index_or_member_that_is_not_there_is_an_error_that_names_it) {
  armature::distributed_vector<long> vector(world(), 10);
  const auto range = vector.slice(2, 5);
  // The vector has these elements; the range has not.
  for (const std::size_t i : {std::size_t{3}, std::size_t{7}, SIZE_MAX - 1}) {
    const std::vector<std::string> words{"distributed_range", "no element " + std::to_string(i),
                                         "one of 3"};
    conformance::expect_error(Errc::bad_argument, words, [&] { (void)range.read(i); });
    conformance::expect_error(Errc::bad_argument, words, [&] { range.write(i, 1L); });
    conformance::expect_error(Errc::bad_argument, words, [&] { range[i] = 1; });
    conformance::expect_error(Errc::bad_argument, words, [&] { (void)range.owner(i); });
    std::vector<long> two(2);
    conformance::expect_error(Errc::bad_argument, {"distributed_range", std::to_string(i), "of 3"},
                              [&] { range.read(i, std::span(two)); });
  }
  conformance::expect_error(Errc::bad_rank, {"distributed_range", "member 99"},
                            [&] { (void)range.begin_of(99); });
  conformance::expect_error(Errc::bad_rank, {"distributed_range", "member -1"},
                            [&] { (void)range.size_of(-1); });
  conformance::expect_error(Errc::bad_argument,
                            {"distributed_vector", "7 elements from 4", "of 10"},
                            [&] { (void)vector.read(4, 7); });
  vector.fence();
}
