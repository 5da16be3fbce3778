// Algorithms that give elements other places, or keep some, against those of the standard library.
#include <algorithm>
#include <iterator>
#include <vector>

#include "cases.hpp"

using namespace containers;
using armature::Errc;

namespace {

/// As long as the data, and divided differently.
armature::distributed_vector<long> room(const Case& one) {
  armature::distributed_vector<long> out(world(), one.size + 3, -7);
  return out;
}
/// `out` begins with these.
void expect_beginning(armature::distributed_vector<long>& out, const std::vector<long>& expected) {
  expect_elements(out.slice(0, expected.size()), expected);
}

}  // namespace

TEST(Reverse, agrees_with_std) {
  for_all_cases([](const Case& one) {
    std::vector<long> expected = one.data;
    std::ranges::reverse(expected);
    auto vector = distributed(one);
    auto out = room(one);
    armature::reverse_copy(vector, out);
    expect_beginning(out, expected);
    armature::reverse(vector);
    expect_elements(vector, expected);
  });
}

TEST(Rotate, agrees_with_std) {
  for_all_cases([](const Case& one) {
    for (const std::size_t middle : {std::size_t{0}, one.size / 3, one.size}) {
      std::vector<long> expected = one.data;
      std::rotate(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(middle),
                  expected.end());
      auto vector = distributed(one);
      auto out = room(one);
      armature::rotate_copy(vector, middle, out);
      expect_beginning(out, expected);
      EXPECT_EQ(armature::rotate(vector, middle), one.size - middle);
      expect_elements(vector, expected);
      auto left = distributed(one), right = distributed(one);
      const std::size_t kept = middle == one.size ? 0 : one.size - middle;
      ASSERT_EQ(armature::shift_left(left, middle), kept);
      ASSERT_EQ(armature::shift_right(right, middle), kept);
      const auto n = static_cast<std::ptrdiff_t>(middle);
      const auto begin = one.data.begin(), end = one.data.end();
      expect_elements(left.slice(0, kept),
                      kept == 0 ? std::vector<long>() : std::vector<long>(begin + n, end));
      expect_elements(right.slice(one.size - kept, one.size),
                      kept == 0 ? std::vector<long>() : std::vector<long>(begin, end - n));
    }
    auto vector = distributed(one);
    conformance::expect_error(Errc::bad_argument,
                              {"rotate", "no element " + std::to_string(one.size + 1)},
                              [&] { armature::rotate(vector, one.size + 1); });
  });
}

TEST(SwapRanges, exchanges_vectors_that_are_divided_differently) {
  for_all_cases([](const Case& one) {
    auto a = distributed(one);
    armature::distributed_vector<long> b(world(), one.size, -7);
    armature::swap_ranges(a, b);
    expect_elements(b, one.data);
    expect_elements(a, std::vector<long>(one.size, -7));
  });
}

TEST(CopyIf, and_its_kin_agree_with_std) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    auto out = room(one), others = room(one);
    std::vector<long> expected, rest;
    std::ranges::partition_copy(one.data, std::back_inserter(expected), std::back_inserter(rest),
                                is_odd);
    ASSERT_EQ(armature::copy_if(vector, out, is_odd), expected.size());
    expect_beginning(out, expected);
    ASSERT_EQ(armature::remove_copy_if(vector, out, is_odd), rest.size());
    expect_beginning(out, rest);
    const auto sizes = armature::partition_copy(vector, out, others, is_odd);
    EXPECT_EQ(sizes, std::pair(expected.size(), rest.size()));
    expect_beginning(out, expected);
    expect_beginning(others, rest);

    expected.clear();
    std::ranges::remove_copy(one.data, std::back_inserter(expected), 7L);
    ASSERT_EQ(armature::remove_copy(vector, out, 7L), expected.size());
    expect_beginning(out, expected);
    expected.clear();
    std::ranges::unique_copy(one.data, std::back_inserter(expected));
    ASSERT_EQ(armature::unique_copy(vector, out), expected.size());
    expect_beginning(out, expected);
  });
}

TEST(Remove, keeps_the_others_in_their_order) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one), other = distributed(one), parted = distributed(one);
    std::vector<long> expected = one.data;
    std::erase_if(expected, is_odd);
    ASSERT_EQ(armature::remove_if(vector, is_odd), expected.size());
    expect_beginning(vector, expected);
    ASSERT_EQ(armature::stable_partition(parted, std::not_fn(is_odd)), expected.size());
    expect_beginning(parted, expected);
    expected = one.data;
    std::erase(expected, 7);
    ASSERT_EQ(armature::remove(other, 7L), expected.size());
    expect_beginning(other, expected);
  });
}

TEST(CopyIf, what_has_no_room_is_an_error_at_all_members) {
  armature::distributed_vector<long> in(world(), 20, 1), out(world(), 19);
  conformance::expect_error(Errc::bad_argument, {"copy_if", "20 elements", "19"},
                            [&] { armature::copy_if(in, out, is_odd); });
  conformance::expect_error(Errc::bad_argument, {"reverse_copy", "20", "19"},
                            [&] { armature::reverse_copy(in, out); });
}

TEST(Replace, and_its_kin_agree_with_std) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one), other = distributed(one);
    auto out = room(one);
    std::vector<long> expected = one.data;
    std::ranges::replace(expected, 7, 5);
    armature::replace_copy(vector, out, 7L, 5L);
    expect_beginning(out, expected);
    armature::replace(vector, 7L, 5L);
    expect_elements(vector, expected);
    expected = one.data;
    std::ranges::replace_if(expected, is_odd, 0);
    armature::replace_copy_if(other, out, is_odd, 0L);
    expect_beginning(out, expected);
    armature::replace_if(other, is_odd, 0L);
    expect_elements(other, expected);
  });
}

TEST(FirstN, are_treated_and_no_others) {
  for_all_cases([](const Case& one) {
    const std::size_t n = one.size / 2;
    const auto count = static_cast<std::ptrdiff_t>(n);
    auto vector = distributed(one);
    std::vector<long> expected = one.data;
    std::for_each_n(expected.begin(), count, [](long& x) { x += 3; });
    armature::for_each_n(vector, n, [](long& x) { x += 3; });
    expect_elements(vector, expected);
    auto out = room(one);
    armature::copy_n(vector, n, out);
    expect_beginning(out, {expected.begin(), expected.begin() + count});
    armature::generate_n(vector, n, [](std::size_t i) { return static_cast<long>(i); });
    std::generate_n(expected.begin(), count, [i = 0L]() mutable { return i++; });
    expect_elements(vector, expected);
    armature::fill_n(vector, n, 4L);
    std::fill_n(expected.begin(), count, 4L);
    expect_elements(vector, expected);
    conformance::expect_error(Errc::bad_argument, {"0 to " + std::to_string(one.size + 1)},
                              [&] { armature::fill_n(vector, one.size + 1, 4L); });
  });
}

TEST(ForEach, goes_over_maps_sets_lists_and_graphs) {
  armature::distributed_map<int, long> map(world());
  armature::distributed_set<int> set(world());
  armature::distributed_list<int> list(world());
  armature::distributed_graph<long> graph(world(), 20);
  map.async_insert(me(), me());
  set.async_insert(me());
  list.push_back(me());
  long sum = 0;
  armature::for_each(map, [](int, long& value) { value *= 2; });
  armature::for_each(map, [&](int, long value) { sum += value; });
  armature::for_each(set, [&](int key) { sum += key; });
  armature::for_each(list, [&](int element) { sum += element; });
  armature::for_each(graph, [&](auto vertex) { sum += static_cast<long>(vertex.id()); });
  const long n = ranks();
  EXPECT_EQ(allreduce(world(), sum), 4 * (n * (n - 1) / 2) + 190);
}
