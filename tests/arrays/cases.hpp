#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "armature/array.hpp"
#include "conformance.hpp"

// Random arrays of every distribution beside a serial model of the same elements. What is random is
// the same on every rank.

namespace arrays {

using armature::Distribution;
using armature::Range;
using conformance::me;
using conformance::ranks;
using conformance::world;
using Kind = armature::Distribution::Kind;

inline constexpr std::array<Kind, 7> kinds = {Kind::block,     Kind::block_of,  Kind::cyclic,
                                              Kind::map,       Kind::gen_block, Kind::collapsed,
                                              Kind::replicated};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// From low to high, both included.
  std::ptrdiff_t operator()(std::ptrdiff_t low, std::ptrdiff_t high) {
    return low +
           static_cast<std::ptrdiff_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  Kind kind() { return kinds[static_cast<std::size_t>((*this)(0, kinds.size() - 1))]; }

 private:
  std::mt19937_64 engine_;
};

template <int N>
using Indices = std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>;
template <int N>
using Ranges = std::array<Range, static_cast<std::size_t>(N)>;

template <int N>
std::ptrdiff_t size_of(const Indices<N>& shape) {
  std::ptrdiff_t size = 1;
  for (const std::ptrdiff_t n : shape) size *= n;
  return size;
}

/// Calls f(indices) for all of the shape, in the order of a C array.
template <int N, class F>
void for_all(const Indices<N>& shape, F f) {
  if (size_of<N>(shape) == 0) return;
  Indices<N> i{};
  for (;;) {
    f(std::as_const(i));
    std::size_t d = N;
    while (d-- > 0) {
      if (++i[d] < shape[d]) break;
      i[d] = 0;
      if (d == 0) return;
    }
  }
}

/// The elements of an array in one memory.
template <int N>
struct Model {
  explicit Model(const Indices<N>& of)
      : shape(of), data(static_cast<std::size_t>(size_of<N>(of))) {}
  long& operator[](const Indices<N>& i) {
    std::ptrdiff_t at = 0;
    for (std::size_t d = 0; d < N; ++d) at = at * shape[d] + i[d];
    return data[static_cast<std::size_t>(at)];
  }
  /// Indices are taken modulo the extent.
  long& wrapped(Indices<N> i) {
    for (std::size_t d = 0; d < N; ++d) i[d] = ((i[d] % shape[d]) + shape[d]) % shape[d];
    return (*this)[i];
  }

  Indices<N> shape;
  std::vector<long> data;
};

template <int N>
Indices<N> random_shape(Random& random, std::ptrdiff_t longest) {
  Indices<N> shape;
  for (auto& n : shape) n = random(1, longest);
  return shape;
}

inline Distribution random_distribution(Random& random, Kind kind, std::ptrdiff_t extent,
                                        int positions) {
  switch (kind) {
    case Kind::block_of:
      return Distribution::block((extent + positions - 1) / positions + random(0, 2));
    case Kind::cyclic:
      return Distribution::cyclic(random(1, 3));
    case Kind::gen_block: {
      std::vector<std::ptrdiff_t> lengths(static_cast<std::size_t>(positions));
      for (std::ptrdiff_t i = 0; i < extent; ++i)
        ++lengths[static_cast<std::size_t>(random(0, positions - 1))];
      return Distribution::gen_block(lengths);
    }
    case Kind::map: {
      std::vector<int> owners;
      for (std::ptrdiff_t i = 0; i < extent; ++i)
        owners.push_back(static_cast<int>(random(0, positions - 1)));
      return Distribution::map(owners);
    }
    case Kind::collapsed:
      return Distribution::collapsed();
    case Kind::replicated:
      return Distribution::replicated();
    case Kind::block:
      break;
  }
  return Distribution::block();
}

/// Options for distributions of these kinds. The grid may leave members out.
template <int N>
armature::array_options<N> random_options(Random& random, const Indices<N>& shape,
                                          const std::array<Kind, N>& kind, bool with_ghosts) {
  armature::array_options<N> options;
  options.name = "tested";
  int left = ranks();
  const auto first = static_cast<std::size_t>(random(0, N - 1));
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t d = (first + i) % N;
    options.grid[d] = kind[d] == Kind::collapsed ? 1 : static_cast<int>(random(1, left));
    left /= options.grid[d];
    options.distribution[d] = random_distribution(random, kind[d], shape[d], options.grid[d]);
    if (with_ghosts && kind[d] != Kind::cyclic && kind[d] != Kind::map)
      options.ghosts[d] = random(0, 2);
  }
  // The library's own choice, where nothing depends on the grid.
  if (std::ranges::all_of(
          kind,
          [](Kind k) { return k == Kind::block || k == Kind::cyclic || k == Kind::collapsed; }) &&
      random(0, 1) == 0)
    options.grid = {};
  options.order = random(0, 1) == 0 ? armature::Order::row_major : armature::Order::column_major;
  return options;
}

template <int N>
std::array<Kind, N> random_kinds(Random& random) {
  std::array<Kind, N> kind;
  for (auto& k : kind) k = random.kind();
  return kind;
}

/// `beyond`: how far indices may lie outside.
inline Range random_range(Random& random, std::ptrdiff_t extent, std::ptrdiff_t beyond = 0) {
  switch (random(0, 4)) {
    case 0:
      return {};
    case 1:
      return random(-beyond, extent - 1 + beyond);
    case 2:
      return Range(0, 0);
    default:
      break;
  }
  std::ptrdiff_t low = random(-beyond, extent - 1 + beyond);
  std::ptrdiff_t high = random(low, extent - 1 + beyond);
  const std::ptrdiff_t step = random(1, 3);
  return random(0, 3) == 0 ? Range(high, low - 1, -step) : Range(low, high + 1, step);
}

/// A range of as many indices as another one, within an extent.
inline Range random_partner(Random& random, const Range& range, std::ptrdiff_t extent) {
  const std::ptrdiff_t n = range.count();
  if (n == 0) return {0, 0};
  std::ptrdiff_t step = n == 1 ? 1 : random(1, std::max<std::ptrdiff_t>(1, (extent - 1) / (n - 1)));
  const std::ptrdiff_t reach = (n - 1) * step;
  const std::ptrdiff_t low = random(0, extent - 1 - reach);
  return random(0, 3) == 0 ? Range::of(low + reach, n, -step) : Range::of(low, n, step);
}

template <int N>
Ranges<N> random_ranges(Random& random, const Indices<N>& shape, std::ptrdiff_t beyond = 0) {
  Ranges<N> ranges;
  for (std::size_t d = 0; d < N; ++d) {
    do ranges[d] = random_range(random, shape[d], beyond);
    while (ranges[d].count() == 0 && !ranges[d].is_whole() && random(0, 20) > 0);
    ranges[d] = ranges[d].within(shape[d]);
  }
  return ranges;
}

/// Calls f(indices) for all elements of the section, in the order of a C array.
template <int N, class F>
void for_section(const Ranges<N>& ranges, F f) {
  Indices<N> counts;
  for (std::size_t d = 0; d < N; ++d) counts[d] = ranges[d].count();
  for_all<N>(counts, [&](const Indices<N>& number) {
    Indices<N> i;
    for (std::size_t d = 0; d < N; ++d) i[d] = ranges[d][number[d]];
    f(i);
  });
}

template <int N>
std::string text(std::uint64_t seed, const Indices<N>& shape,
                 const armature::array_options<N>& options) {
  std::string text = "seed " + std::to_string(seed) + ":";
  for (std::size_t d = 0; d < N; ++d)
    text += " " + std::to_string(shape[d]) + " indices, kind " +
            std::to_string(static_cast<int>(options.distribution[d].kind())) + " over " +
            std::to_string(options.grid[d]) + ";";
  return text;
}

/// Every element of mine is that of the model, and all elements are somebody's, or of as many as
/// have copies.
template <int N>
void expect_blocks(const armature::distributed_array<long, N>& array, Model<N>& model) {
  const auto view = array.local();
  for_all<N>(view.extents(), [&](const Indices<N>& i) {
    const Indices<N> global = array.global(i);
    EXPECT_EQ(view[i], model[global]);
    EXPECT_EQ(array.owner(global), me());
  });
  const int copies = array.layout().placement().copies();
  EXPECT_EQ(allreduce(world(), view.size()), copies * size_of<N>(model.shape));
}

/// Gives every element a value of its own: members write what they have.
template <int N>
void number(armature::distributed_array<long, N>& array, Model<N>& model, long first = 0) {
  for (long& value : model.data) value = first++;
  const auto view = array.local();
  for_all<N>(view.extents(), [&](const Indices<N>& i) { view[i] = model[array.global(i)]; });
  array.fence();
}

/// An array of random distributions, with numbers.
template <int N>
struct Numbered {
  Numbered(Random& random, const Indices<N>& shape, long first)
      : array(world(), shape, random_options<N>(random, shape, random_kinds<N>(random), true)),
        model(shape) {
    number(array, model, first);
  }

  armature::distributed_array<long, N> array;
  Model<N> model;
};

/// Calls f(random) for that many seeds; fewer where transfers go over a network.
template <class F>
void for_seeds(int times, F f) {
  for (int i = 0; i < conformance::often(times) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i));
    f(random);
  }
}

}  // namespace arrays
