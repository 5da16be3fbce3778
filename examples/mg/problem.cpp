// The benchmark numbers all cells of the finest grid and gives cell i the (i+1)-th number of the
// linear congruential sequence x <- 5^13 x mod 2^46, x_0 = 314159265. Any rank can jump to any
// element, since i steps multiply by 5^(13 i); so each draws its own cells and none is sent.
// (The reference does this in pairs of 23-bit doubles; unsigned 64-bit arithmetic, which wraps at a
// multiple of 2^46, gives the same numbers exactly.)
#include "problem.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

namespace mg {
namespace {

// From class B on the benchmark has weights of its own.
constexpr Smoother small{.centre = -3.0 / 8.0, .face = 1.0 / 32.0, .edge = -1.0 / 64.0};
constexpr Smoother large{.centre = -3.0 / 17.0, .face = 1.0 / 33.0, .edge = -1.0 / 61.0};

constexpr std::array<ProblemClass, 5> problem_classes{{
    {'S', 5, 4, 0.5307707005734e-04, small},
    {'W', 7, 4, 0.6467329375339e-05, small},
    {'A', 8, 4, 0.2433365309069e-05, small},
    {'B', 8, 20, 0.1800564401355e-05, large},
    {'C', 9, 20, 0.5706732285740e-06, large},
}};

class RandomSequence {
 public:
  /// Starts before element `index`.
  explicit RandomSequence(std::uint64_t index) : state_(314159265) {
    for (std::uint64_t factor = multiplier; index != 0; index >>= 1) {
      if (index & 1) state_ = step(state_, factor);
      factor = step(factor, factor);
    }
  }

  double next() {
    state_ = step(state_, multiplier);
    return static_cast<double>(state_) * 0x1p-46;
  }

 private:
  static constexpr std::uint64_t multiplier = 1220703125;  // 5^13

  static std::uint64_t step(std::uint64_t x, std::uint64_t factor) {
    return (x * factor) & ((std::uint64_t{1} << 46) - 1);
  }

  std::uint64_t state_;
};

// Puts a cell in its place among the ten best, if it belongs there.
template <class Better>
void offer(std::array<Extremes::Cell, Extremes::wanted>& best, Extremes::Cell cell, Better better) {
  auto beats = [&](const Extremes::Cell& other) {
    return other.index < 0 || better(cell.value, other.value);
  };
  if (cell.index < 0 || !beats(best.back())) return;
  auto place = std::find_if(best.begin(), best.end(), beats);
  std::move_backward(place, best.end() - 1, best.end());
  *place = cell;
}

}  // namespace

const ProblemClass& find_class(std::string_view name) {
  for (const auto& candidate : problem_classes) {
    if (name.size() == 1 && name[0] == candidate.name) return candidate;
  }
  throw std::invalid_argument("no problem class '" + std::string(name) + "': give S, W, A, B or C");
}

void Extremes::merge(const Extremes& other) {
  for (const Cell& cell : other.largest) offer(largest, cell, std::greater<>());
  for (const Cell& cell : other.smallest) offer(smallest, cell, std::less<>());
}

Extremes find_extremes(int edge, Box box) {
  Extremes found;
  for (int z = box.origin[2]; z < box.origin[2] + box.extent[2]; ++z) {
    for (int y = box.origin[1]; y < box.origin[1] + box.extent[1]; ++y) {
      std::int64_t index = (std::int64_t{z} * edge + y) * edge + box.origin[0];
      RandomSequence random(static_cast<std::uint64_t>(index));
      for (int x = 0; x < box.extent[0]; ++x, ++index) {
        const Extremes::Cell cell{random.next(), index};
        offer(found.largest, cell, std::greater<>());
        offer(found.smallest, cell, std::less<>());
      }
    }
  }
  return found;
}

void place_charges(Grid grid, int edge, Box box, const Extremes& extremes) {
  auto place = [&](const Extremes::Cell& charge, double value) {
    Triple cell{};
    std::int64_t rest = charge.index;
    for (int a = 0; a < 3; ++a, rest /= edge) {
      cell[a] = static_cast<int>(rest % edge) - box.origin[a] + 1;
      if (cell[a] < 1 || cell[a] > box.extent[a]) return;
    }
    grid.data()[grid.offset(cell)] = value;
  };
  std::fill_n(grid.data(), Grid::footprint(grid.interior()), 0.0);
  for (const auto& charge : extremes.largest) place(charge, 1.0);
  for (const auto& charge : extremes.smallest) place(charge, -1.0);
}

}  // namespace mg
