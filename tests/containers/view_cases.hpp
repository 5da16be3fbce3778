#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "armature/view.hpp"
#include "cases.hpp"

// Views of a vector against the standard library's algorithms on the same elements. What the view
// does not show must stay as it is.

namespace view_cases {

namespace views = armature::views;
using containers::Case;
using containers::is_odd;
using containers::Keys;
using containers::Layout;
using containers::world;

using Longs = std::vector<long>;
using At = std::optional<std::size_t>;

inline std::vector<Case> few_cases() {
  std::vector<Case> all;
  for (const std::size_t size : {0UL, 1UL, 30UL, 600UL})
    for (const Keys keys : {Keys::any, Keys::few}) {
      Case one{size, keys, keys == Keys::any ? Layout::uneven : Layout::even, all.size() + 1, {}};
      std::mt19937_64 random(one.seed);
      for (std::size_t i = 0; i < size; ++i) one.data.push_back(containers::key(keys, random) % 50);
      all.push_back(std::move(one));
    }
  return all;
}

/// Calls check(make, places) for each kind of view: make(vector) is the view, and its element i is
/// element places[i] of the vector.
template <class F>
void for_all_views(std::size_t size, F check) {
  const auto places = [size](auto place, std::size_t count) {
    std::vector<std::size_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = place(i);
    (void)size;
    return all;
  };
  check([](auto& v) { return views::all(v); }, places([](std::size_t i) { return i; }, size));
  const std::size_t first = size / 4, last = size - size / 3;
  check([=](auto& v) { return views::slice(v, first, last); },
        places([=](std::size_t i) { return first + i; }, last - first));
  const std::size_t begin = size / 5;
  check([=](auto& v) { return views::strided(v, 3, begin); },
        places([=](std::size_t i) { return begin + 3 * i; }, (size - begin + 2) / 3));
  const std::size_t columns = size % 5 == 0 ? 5 : 1, rows = size / columns;
  check([=](auto& v) { return views::transposed(v, columns); },
        places([=](std::size_t i) { return i % rows * columns + i / rows; }, size));
}

/// change(view) and serial(elements) return the same, and leave the same elements.
template <class F, class G>
void compare(F change, G serial) {
  for (const Case& one : few_cases())
    for_all_views(one.size, [&](auto make, const std::vector<std::size_t>& places) {
      const testing::ScopedTrace trace(__FILE__, __LINE__,
                                       one.text() + ", " + std::to_string(places.size()) + " seen");
      Longs elements;
      for (const std::size_t place : places) elements.push_back(one.data[place]);
      auto vector = containers::distributed(one);
      if constexpr (std::is_void_v<decltype(serial(elements))>) {
        change(make(vector));
        serial(elements);
      } else {
        const auto result = change(make(vector));
        EXPECT_EQ(result, serial(elements));
      }
      Longs expected = one.data;
      for (std::size_t i = 0; i < places.size(); ++i) expected[places[i]] = elements[i];
      containers::expect_elements(vector, expected);
      vector.fence();
    });
}

/// change(view, out) and serial(elements, out) write the same, to a vector as well as to a view.
template <class F, class G>
void compare_output(F change, G serial) {
  compare(
      [&](const auto& of) {
        armature::distributed_vector<long> out(world(), of.size(), -1);
        change(of, out);
        auto all = out.read(0, out.size());
        armature::distributed_vector<long> wide(world(), 2 * of.size(), -1);
        change(of, views::strided(wide, 2));
        for (std::size_t i = 0; i < of.size(); ++i) all.push_back(wide[2 * i]);
        wide.fence();
        return all;
      },
      [&](Longs& elements) {
        Longs out(elements.size(), -1);
        serial(elements, out);
        Longs all = out;
        all.insert(all.end(), out.begin(), out.end());
        return all;
      });
}

inline At index_in(const Longs& elements, Longs::const_iterator found) {
  return found == elements.end() ? At() : At(static_cast<std::size_t>(found - elements.begin()));
}
inline std::size_t count_to(const Longs& elements, Longs::const_iterator end) {
  return static_cast<std::size_t>(end - elements.begin());
}
inline auto middle_of(Longs& elements) {
  return elements.begin() + static_cast<std::ptrdiff_t>(elements.size() / 2);
}

}  // namespace view_cases
