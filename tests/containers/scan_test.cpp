#include <numeric>

#include "cases.hpp"

using namespace containers;

TEST(InclusiveScan, agrees_with_std_in_place_and_elsewhere) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    armature::distributed_vector<long> out(world(), one.size);
    armature::inclusive_scan(vector, out, std::plus<>(), 11L);
    std::vector<long> expected(one.size);
    std::inclusive_scan(one.data.begin(), one.data.end(), expected.begin(), std::plus<>(), 11L);
    expect_elements(out, expected);
    armature::inclusive_scan(vector, vector);
    std::inclusive_scan(one.data.begin(), one.data.end(), expected.begin());
    expect_elements(vector, expected);
  });
}

TEST(ExclusiveScan, agrees_with_std_in_place_and_elsewhere) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    armature::distributed_vector<long> out(world(), one.size);
    armature::exclusive_scan(vector, out, -4L, armature::Maximum());
    std::vector<long> expected(one.size);
    std::exclusive_scan(one.data.begin(), one.data.end(), expected.begin(), -4L,
                        armature::Maximum());
    expect_elements(out, expected);
    armature::exclusive_scan(vector, vector, 3L);
    std::exclusive_scan(one.data.begin(), one.data.end(), expected.begin(), 3L);
    expect_elements(vector, expected);
  });
}

TEST(AdjacentDifference, agrees_with_std_in_place_and_elsewhere) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    armature::distributed_vector<long> out(world(), one.size);
    armature::adjacent_difference(vector, out);
    armature::adjacent_difference(vector, vector);
    std::vector<long> expected(one.size);
    std::adjacent_difference(one.data.begin(), one.data.end(), expected.begin());
    expect_elements(out, expected);
    expect_elements(vector, expected);
  });
}

TEST(Scan, of_a_section_leaves_the_rest) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    const std::size_t first = one.size / 5, last = one.size - one.size / 3;
    const auto section = vector.slice(first, last);
    armature::inclusive_scan(section, section);
    auto expected = one.data;
    const auto begin = expected.begin();
    std::inclusive_scan(begin + static_cast<std::ptrdiff_t>(first),
                        begin + static_cast<std::ptrdiff_t>(last),
                        begin + static_cast<std::ptrdiff_t>(first));
    expect_elements(vector, expected);
  });
}
