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

TEST(ScanByKey, restarts_where_the_key_changes) {
  for_all_cases([](const Case& one) {
    auto values = distributed(one);
    std::vector<long> keys_data, with, before;
    long sum = 0;
    for (std::size_t i = 0; i < one.size; ++i) {
      keys_data.push_back(static_cast<long>(i / 100 + i / 733));
      if (i > 0 && keys_data[i] != keys_data[i - 1]) sum = 0;
      before.push_back(5 + sum);
      with.push_back(sum += one.data[i]);
    }
    armature::distributed_vector<long> keys(world(), one.size), out(world(), one.size);
    armature::generate(keys, [&](std::size_t i) { return keys_data[i]; });
    armature::exclusive_scan_by_key(keys, values, out, 5L);
    expect_elements(out, before);
    armature::inclusive_scan_by_key(keys, values, values);
    expect_elements(values, with);
    values.fence();
  });
}

TEST(ScanByKey, takes_keys_that_are_objects_and_one_run_over_all_members) {
  armature::distributed_vector<std::string> keys(world(), 100, "one key, in no string's own room");
  armature::distributed_vector<double> values(world(), 100, 0.5), sums(world(), 100);
  armature::inclusive_scan_by_key(keys, values, sums);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(static_cast<double>(sums[i]), 0.5 * static_cast<double>(i + 1));
  sums.fence();
  armature::distributed_vector<double> fewer(world(), 99);
  EXPECT_THROW(armature::inclusive_scan_by_key(keys, values, fewer), armature::Error);
}
