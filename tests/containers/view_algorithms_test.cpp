// Algorithms on views that move elements, or write what they make of them.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "armature/array.hpp"
#include "armature/view.hpp"
#include "view_cases.hpp"

using namespace view_cases;

TEST(ViewAlgorithms, sort_where_the_elements_lie) {
  compare([](const auto& of) { armature::sort(of); }, [](Longs& x) { std::ranges::sort(x); });
  compare([](const auto& of) { armature::stable_sort(of, std::greater<>()); },
          [](Longs& x) { std::ranges::stable_sort(x, std::greater<>()); });
  compare(
      [](const auto& of) {
        armature::partial_sort(of, of.size() / 2);
        // The others are in any order.
        armature::sort(of);
      },
      [](Longs& x) { std::ranges::sort(x); });
  compare(
      [](const auto& of) {
        long nth = 0;
        if (of.size() > 0) nth = armature::nth_element(of, of.size() / 2);
        armature::sort(of);
        return nth;
      },
      [](Longs& x) {
        std::ranges::sort(x);
        return x.empty() ? 0 : x[x.size() / 2];
      });
  compare(
      [](const auto& of) {
        armature::sort(of);
        armature::rotate(of, of.size() / 2);
        armature::inplace_merge(of, of.size() - of.size() / 2);
      },
      [](Longs& x) { std::ranges::sort(x); });
}

TEST(ViewAlgorithms, sort_tuples_of_zipped_vectors) {
  armature::distributed_vector<long> keys(world(), 100), values(world(), 100), ones(world(), 100);
  const auto key = [](std::size_t i) { return static_cast<long>(i * 37 % 10); };
  armature::generate(keys, key);
  armature::generate(values, [](std::size_t i) { return static_cast<long>(i); });
  armature::sort(views::zipped(keys, values));
  std::vector<std::pair<long, long>> pairs;
  for (std::size_t i = 0; i < 100; ++i) pairs.emplace_back(key(i), static_cast<long>(i));
  std::ranges::sort(pairs);
  Longs by, with;
  for (const auto& [a, b] : pairs) by.push_back(a), with.push_back(b);
  containers::expect_elements(keys, by);
  containers::expect_elements(values, with);
  armature::sort_by_key(views::strided(values, 2), ones.slice(0, 50), std::greater<>());
  EXPECT_TRUE(armature::is_sorted(views::strided(values, 2), std::greater<>()));
  armature::sort_by_key(values, views::all(keys));
  Longs old;
  for (std::size_t i = 0; i < 100; ++i) old.push_back(static_cast<long>(i));
  containers::expect_elements(values, old);
  values.fence();
}

TEST(ViewAlgorithms, put_some_elements_first) {
  compare([](const auto& of) { return armature::partition(of, is_odd); },
          [](Longs& x) { return count_to(x, std::ranges::stable_partition(x, is_odd).begin()); });
  compare([](const auto& of) { return armature::stable_partition(of, is_odd); },
          [](Longs& x) { return count_to(x, std::ranges::stable_partition(x, is_odd).begin()); });
  const auto kept_by = [](auto remove, auto serial) {
    compare(
        [&](const auto& of) {
          const std::size_t left = remove(of);
          Longs kept;
          auto shown = armature::distributed_vector<long>(world(), of.size());
          armature::copy(of, shown);
          kept = shown.read(0, left);
          shown.fence();
          armature::fill(of, 0L);
          return kept;
        },
        [&](Longs& x) {
          Longs kept = x;
          kept.erase(serial(kept), kept.end());
          std::ranges::fill(x, 0);
          return kept;
        });
  };
  kept_by([](const auto& of) { return armature::remove_if(of, is_odd); },
          [](Longs& x) { return std::remove_if(x.begin(), x.end(), is_odd); });
  kept_by([](const auto& of) { return armature::remove(of, 2L); },
          [](Longs& x) { return std::remove(x.begin(), x.end(), 2L); });
  kept_by([](const auto& of) { return armature::unique(of); },
          [](Longs& x) { return std::unique(x.begin(), x.end()); });
}

TEST(ViewAlgorithms, move_elements_and_write_over_them) {
  compare([](const auto& of) { armature::reverse(of); }, [](Longs& x) { std::ranges::reverse(x); });
  compare([](const auto& of) { return armature::rotate(of, of.size() / 3); },
          [](Longs& x) {
            const auto third = static_cast<std::ptrdiff_t>(x.size() / 3);
            return count_to(x, std::rotate(x.begin(), x.begin() + third, x.end()));
          });
  // Elements that are shifted in are not specified.
  compare(
      [](const auto& of) {
        const std::size_t left = armature::shift_left(of, 2);
        armature::generate(of, [](std::size_t) { return 0L; });
        return left;
      },
      [](Longs& x) {
        const std::size_t left = x.size() < 2 ? 0 : x.size() - 2;
        std::ranges::fill(x, 0);
        return left;
      });
  compare(
      [](const auto& of) {
        const std::size_t first = armature::shift_right(of, of.size() / 2);
        armature::fill_n(of, of.size() / 2, 4L);
        return first;
      },
      [](Longs& x) {
        std::shift_right(x.begin(), x.end(), static_cast<std::ptrdiff_t>(x.size() / 2));
        std::fill_n(x.begin(), x.size() / 2, 4L);
        return x.size() - x.size() / 2;
      });
  compare([](const auto& of) { armature::replace_if(of, is_odd, 5L); },
          [](Longs& x) { std::ranges::replace_if(x, is_odd, 5L); });
  compare([](const auto& of) { armature::replace(of, 2L, 6L); },
          [](Longs& x) { std::ranges::replace(x, 2L, 6L); });
  compare(
      [](const auto& of) {
        armature::generate_n(of, of.size() / 2, [](std::size_t i) { return static_cast<long>(i); });
      },
      [](Longs& x) { std::iota(x.begin(), middle_of(x), 0L); });
  compare([](const auto& of) { armature::for_each_n(of, of.size() / 2, [](long& e) { e += 3; }); },
          [](Longs& x) { std::for_each(x.begin(), middle_of(x), [](long& e) { e += 3; }); });
  compare(
      [](const auto& of) {
        armature::distributed_vector<long> other(world(), of.size(), 8L);
        armature::swap_ranges(of, other);
        armature::swap_ranges(other, of);
        armature::swap_ranges(other.view(), of);
      },
      [](Longs& x) { std::ranges::fill(x, 8L); });
}

TEST(ViewAlgorithms, scan) {
  compare_output([](const auto& of, auto&& out) { armature::inclusive_scan(of, out); },
                 [](Longs& x, Longs& out) { std::partial_sum(x.begin(), x.end(), out.begin()); });
  compare_output(
      [](const auto& of, auto&& out) { armature::inclusive_scan(of, out, std::plus<>(), 7L); },
      [](Longs& x, Longs& out) {
        std::inclusive_scan(x.begin(), x.end(), out.begin(), std::plus<>(), 7L);
      });
  compare([](const auto& of) { armature::exclusive_scan(of, of, 5L); },
          [](Longs& x) { std::exclusive_scan(x.begin(), x.end(), x.begin(), 5L); });
  const auto square = [](long x) { return x * x; };
  compare_output(
      [&](const auto& of, auto&& out) {
        armature::transform_inclusive_scan(of, out, std::plus<>(), square);
      },
      [&](Longs& x, Longs& out) {
        std::transform_inclusive_scan(x.begin(), x.end(), out.begin(), std::plus<>(), square);
      });
  compare_output(
      [&](const auto& of, auto&& out) {
        armature::transform_inclusive_scan(of, out, std::plus<>(), square, 3L);
      },
      [&](Longs& x, Longs& out) {
        std::transform_inclusive_scan(x.begin(), x.end(), out.begin(), std::plus<>(), square, 3L);
      });
  compare_output(
      [&](const auto& of, auto&& out) {
        armature::transform_exclusive_scan(of, out, 3L, std::plus<>(), square);
      },
      [&](Longs& x, Longs& out) {
        std::transform_exclusive_scan(x.begin(), x.end(), out.begin(), 3L, std::plus<>(), square);
      });
  compare_output(
      [](const auto& of, auto&& out) { armature::adjacent_difference(of, out); },
      [](Longs& x, Longs& out) { std::adjacent_difference(x.begin(), x.end(), out.begin()); });
}

TEST(ViewAlgorithms, scan_by_key) {
  const auto key = [](std::size_t i) { return static_cast<long>(i / 7 % 3); };
  const auto sums = [&](const Longs& x, bool with) {
    Longs out;
    long sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i > 0 && key(i) != key(i - 1)) sum = 0;
      if (!with) out.push_back(100 + sum);
      sum += x[i];
      if (with) out.push_back(sum);
    }
    return out;
  };
  compare_output(
      [&](const auto& of, auto&& out) {
        armature::distributed_vector<long> keys(world(), of.size());
        armature::generate(keys, key);
        armature::inclusive_scan_by_key(keys, of, out);
      },
      [&](Longs& x, Longs& out) { out = sums(x, true); });
  compare_output(
      [&](const auto& of, auto&& out) {
        armature::distributed_vector<long> keys(world(), of.size());
        armature::generate(keys, key);
        armature::exclusive_scan_by_key(keys, of, out, 100L);
      },
      [&](Longs& x, Longs& out) { out = sums(x, false); });
}

TEST(ViewAlgorithms, copy_some_of_them) {
  compare_output([](const auto& of, auto&& out) { armature::copy_if(of, out, is_odd); },
                 [](Longs& x, Longs& out) { std::ranges::copy_if(x, out.begin(), is_odd); });
  compare_output([](const auto& of, auto&& out) { armature::remove_copy_if(of, out, is_odd); },
                 [](Longs& x, Longs& out) { std::ranges::remove_copy_if(x, out.begin(), is_odd); });
  compare_output([](const auto& of, auto&& out) { armature::remove_copy(of, out, 2L); },
                 [](Longs& x, Longs& out) { std::ranges::remove_copy(x, out.begin(), 2L); });
  compare_output([](const auto& of, auto&& out) { armature::unique_copy(of, out); },
                 [](Longs& x, Longs& out) { std::ranges::unique_copy(x, out.begin()); });
  compare_output([](const auto& of, auto&& out) { armature::partial_sort_copy(of, out); },
                 [](Longs& x, Longs& out) { std::ranges::partial_sort_copy(x, out); });
  compare_output([](const auto& of, auto&& out) { armature::reverse_copy(of, out); },
                 [](Longs& x, Longs& out) { std::ranges::reverse_copy(x, out.begin()); });
  compare_output(
      [](const auto& of, auto&& out) { armature::rotate_copy(of, of.size() / 2, out); },
      [](Longs& x, Longs& out) { std::ranges::rotate_copy(x, middle_of(x), out.begin()); });
  compare_output([](const auto& of, auto&& out) { armature::copy_n(of, of.size() / 2, out); },
                 [](Longs& x, Longs& out) { std::copy(x.begin(), middle_of(x), out.begin()); });
  compare_output(
      [](const auto& of, auto&& out) { armature::replace_copy_if(of, out, is_odd, 9L); },
      [](Longs& x, Longs& out) { std::ranges::replace_copy_if(x, out.begin(), is_odd, 9L); });
  compare_output([](const auto& of, auto&& out) { armature::replace_copy(of, out, 2L, 9L); },
                 [](Longs& x, Longs& out) { std::ranges::replace_copy(x, out.begin(), 2L, 9L); });
  compare_output(
      [](const auto& of, auto&& out) {
        armature::distributed_vector<long> others(world(), of.size(), -1);
        const auto counts = armature::partition_copy(of, out, others, is_odd);
        EXPECT_EQ(counts.first + counts.second, of.size());
      },
      [](Longs& x, Longs& out) { std::ranges::copy_if(x, out.begin(), is_odd); });
}
