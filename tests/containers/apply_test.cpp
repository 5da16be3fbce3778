#include "cases.hpp"

using namespace containers;

TEST(ForEach, changes_every_element_once) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    armature::for_each(vector, [](long& x) { x = x * 3 + 1; });
    auto expected = one.data;
    std::ranges::for_each(expected, [](long& x) { x = x * 3 + 1; });
    expect_elements(vector, expected);
  });
}

TEST(Generate, gives_every_element_its_index) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    armature::generate(vector, [](std::size_t i) { return static_cast<long>(i * i); });
    std::vector<long> expected(one.size);
    long i = 0;
    std::ranges::generate(expected, [&i] {
      const long square = i * i;
      ++i;
      return square;
    });
    expect_elements(vector, expected);
  });
}

TEST(Fill, fills_a_section_and_nothing_else) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    const std::size_t first = one.size / 3, last = one.size - one.size / 4;
    armature::fill(vector.slice(first, last), -5);
    auto expected = one.data;
    std::fill(expected.begin() + static_cast<std::ptrdiff_t>(first),
              expected.begin() + static_cast<std::ptrdiff_t>(last), -5);
    expect_elements(vector, expected);
  });
}

TEST(Transform, agrees_with_std_between_ranges_that_are_divided_differently) {
  for_all_cases([](const Case& one) {
    const auto in = distributed(one);
    armature::distributed_vector<double> out(world(), one.size);
    armature::transform(in, out, [](long x) { return static_cast<double>(x) / 2; });
    std::vector<double> expected(one.size);
    std::ranges::transform(one.data, expected.begin(),
                           [](long x) { return static_cast<double>(x) / 2; });
    expect_elements(out, expected);
  });
}

TEST(Transform, of_two_ranges_may_overwrite_one_of_them) {
  for_all_cases([](const Case& one) {
    auto a = distributed(one);
    armature::distributed_vector<long> b(world(), one.size);
    armature::generate(b, [](std::size_t i) { return static_cast<long>(i); });
    armature::transform(a, b, b, [](long x, long y) { return 2 * x - y; });
    std::vector<long> expected(one.size);
    for (std::size_t i = 0; i < one.size; ++i) expected[i] = 2 * one.data[i] - static_cast<long>(i);
    expect_elements(b, expected);
  });
}

TEST(Copy, copies_between_ranges_that_are_divided_differently) {
  for_all_cases([](const Case& one) {
    const auto in = distributed(one);
    armature::distributed_vector<long> out(world(), one.size + 3, -1);
    armature::copy(in, out);
    auto expected = one.data;
    expected.insert(expected.end(), 3, -1);
    expect_elements(out, expected);
  });
}

TEST(Transform, ranges_of_other_teams_are_an_error) {
  if (ranks() == 1) return;
  armature::distributed_vector<long> in(world(), 8), out(world().split(0, -me()), 8);
  conformance::expect_error(armature::Errc::bad_argument, {"transform", "another order"},
                            [&] { armature::transform(in, out, [](long x) { return x; }); });
  conformance::expect_error(armature::Errc::bad_argument, {"copy", "another order"},
                            [&] { armature::copy(in, out); });
  armature::distributed_vector<long> same(world().duplicate(), 8, 1);
  armature::copy(same, in);
  expect_elements(in, std::vector<long>(8, 1));
}

TEST(Copy, moves_strings_too) {
  for_all_cases([](const Case& one) {
    if (one.size > 100) return;
    std::vector<std::string> words;
    for (const long x : one.data) words.push_back("word " + std::to_string(x));
    const auto in = distributed(one, words);
    armature::distributed_vector<std::string> out(world(), one.size);
    armature::copy(in, out);
    expect_elements(out, words);
  });
}

TEST(Once, runs_on_one_member) {
  int runs = 0;
  armature::once(world(), [&] { ++runs; });
  EXPECT_EQ(allreduce(world(), runs), 1);
}
