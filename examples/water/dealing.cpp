#include "dealing.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace water {
namespace {

static_assert(cell_side > cutoff + 2 * reach, "molecules feel others behind the cells around");

/// How many bricks there are along each side: the longest side of a brick is cut first.
Place cut(int ranks) {
  Place bricks{1, 1, 1};
  for (int factor = 2; ranks > 1; ++factor)
    for (; ranks % factor == 0; ranks /= factor) *std::ranges::min_element(bricks) *= factor;
  std::ranges::sort(bricks);
  return bricks;
}

/// Ranks by brick.
std::vector<int> number_bricks(const Place& bricks, Order order) {
  std::vector<int> colours;
  for (int z = 0; z < bricks[2]; ++z)
    for (int y = 0; y < bricks[1]; ++y)
      for (int x = 0; x < bricks[0]; ++x)
        colours.push_back(order == Order::scattered ? (x + y + z) % 2 : 0);
  std::vector<int> ranks(colours.size());
  int next = 0;
  for (const int colour : {0, 1})
    for (std::size_t brick = 0; brick < colours.size(); ++brick)
      if (colours[brick] == colour) ranks[brick] = next++;
  return ranks;
}

}  // namespace

Order parse_order(std::string_view name) {
  if (name == "bricks") return Order::bricks;
  if (name == "scattered") return Order::scattered;
  throw std::invalid_argument("--deal wants bricks or scattered, not '" + std::string(name) + "'");
}

Dealing::Dealing(int cells, int ranks, Order order)
    : cells_(cells), of_(static_cast<std::size_t>(ranks)) {
  if (cells < 3 || cells > 100)
    throw std::invalid_argument("--cells wants a number from 3 to 100, not " +
                                std::to_string(cells));
  const Place bricks = cut(ranks);
  const std::vector<int> numbered = number_bricks(bricks, order);
  for (int z = 0; z < cells; ++z)
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x) {
        const int brick = x * bricks[0] / cells +
                          bricks[0] * (y * bricks[1] / cells + bricks[1] * (z * bricks[2] / cells));
        const int owner = numbered[static_cast<std::size_t>(brick)];
        std::vector<std::size_t>& its = of_[static_cast<std::size_t>(owner)];
        places_.push_back(its.size());
        its.push_back(owners_.size());
        owners_.push_back(owner);
      }
}

std::size_t Dealing::most() const {
  std::size_t most = 0;
  for (const auto& its : of_) most = std::max(most, its.size());
  return most;
}

std::size_t Dealing::number(const Place& at) const {
  std::size_t number = 0;
  for (std::size_t k = 3; k-- > 0;)
    number = number * static_cast<std::size_t>(cells_) +
             static_cast<std::size_t>((at[k] + cells_) % cells_);
  return number;
}

std::size_t Dealing::cell_at(const double* oxygen) const {
  Place at{};
  for (std::size_t k = 0; k < 3; ++k)
    at[k] = std::clamp(static_cast<int>(oxygen[k] / cell_side), 0, cells_ - 1);
  return number(at);
}

std::array<std::size_t, 13> Dealing::half_around(std::size_t cell) const {
  const int n = cells_, at = static_cast<int>(cell);
  const Place here{at % n, at / n % n, at / n / n};
  std::array<std::size_t, 13> around{};
  // The first 13 of the 27 places are opposite to the last 13.
  for (int i = 0; i < 13; ++i)
    around[static_cast<std::size_t>(i)] =
        number({here[0] + i % 3 - 1, here[1] + i / 3 % 3 - 1, here[2] + i / 9 - 1});
  return around;
}

}  // namespace water
