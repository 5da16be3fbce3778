#include "finite_elements.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>

namespace sparse {
namespace {

constexpr double lambda = 1.0, mu = 0.8;  // Lame's constants
constexpr Index held = ~Index{0};

using Vec = std::array<double, 3>;
using Corner = std::array<int, 3>;

/// A tetrahedron of the unit cube: it goes from the corner 0,0,0 to 1,1,1 along the three axes, in
/// one of their six orders.
struct Tetrahedron {
  std::array<Corner, 4> corners{};
  std::array<Vec, 4> gradients{};  // of the function that is 1 at that corner, 0 at the others

  explicit Tetrahedron(const std::array<int, 3>& order) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<std::size_t>(order[i]);
      corners[i + 1] = corners[i];
      corners[i + 1][axis] = 1;
      // Along the axis the weight goes over from corner i to corner i + 1.
      gradients[i][axis] -= 1;
      gradients[i + 1][axis] += 1;
    }
  }

  [[nodiscard]] double stiffness(std::size_t i, std::size_t a, std::size_t j, std::size_t b) const {
    const Vec &left = gradients[i], &right = gradients[j];
    double sum = lambda * left[a] * right[b] + mu * left[b] * right[a];
    if (a == b) sum += mu * (left[0] * right[0] + left[1] * right[1] + left[2] * right[2]);
    return sum / 6;  // its volume
  }
};

/// The unknowns are numbered node by node, those that are held left out.
class Unknowns {
 public:
  explicit Unknowns(const ElasticBlock& block)
      : nodes_(block.nodes),
        numbers_(3 * count(block.nodes)),
        layer_(static_cast<std::size_t>(nodes_[0]) * static_cast<std::size_t>(nodes_[1])) {
    const std::size_t last = numbers_.size() / 3 - layer_;
    for (std::size_t node = 0; node < numbers_.size() / 3; ++node)
      for (std::size_t a = 0; a < 3; ++a) {
        const bool clamped = node < static_cast<std::size_t>(block.clamped);
        const bool rolls =
            a == 2 && node >= last && node - last < static_cast<std::size_t>(block.rollers);
        numbers_[3 * node + a] = clamped || rolls ? held : free_++;
      }
  }
  [[nodiscard]] std::size_t free() const { return free_; }
  [[nodiscard]] Index number(const Corner& at, std::size_t a) const {
    const auto x = static_cast<std::size_t>(at[0]), y = static_cast<std::size_t>(at[1]),
               z = static_cast<std::size_t>(at[2]);
    return numbers_[3 * (x + static_cast<std::size_t>(nodes_[0]) * y + layer_ * z) + a];
  }

 private:
  static std::size_t count(const std::array<int, 3>& nodes) {
    std::size_t all = 1;
    for (const int n : nodes) all *= static_cast<std::size_t>(n);
    return all;
  }
  std::array<int, 3> nodes_;
  std::vector<Index> numbers_;
  std::size_t layer_;
  Index free_ = 0;
};

std::vector<Tetrahedron> tetrahedra() {
  std::vector<Tetrahedron> all;
  std::array order{0, 1, 2};
  do all.emplace_back(order);
  while (std::ranges::next_permutation(order).found);
  return all;
}

void add(std::vector<Entry>& entries, const Unknowns& unknowns, const Tetrahedron& element,
         const Corner& cube) {
  const auto place = [&](std::size_t i) {
    const Corner& corner = element.corners[i];
    return Corner{cube[0] + corner[0], cube[1] + corner[1], cube[2] + corner[2]};
  };
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      const Index row = unknowns.number(place(i), a);
      if (row == held) continue;
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t b = 0; b < 3; ++b) {
          const Index column = unknowns.number(place(j), b);
          if (column != held) entries.push_back({row, column, element.stiffness(i, a, j, b)});
        }
    }
}

}  // namespace

ElasticBlock ElasticBlock::parse(std::string_view text) {
  ElasticBlock block;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t a = 0; a < 3; ++a) {
    const auto [rest, error] = std::from_chars(at, end, block.nodes[a]);
    const bool parted = a == 2 ? rest == end : rest != end && *rest == 'x';
    if (error != std::errc() || !parted || block.nodes[a] < 2 || block.nodes[a] > 1000)
      throw std::invalid_argument("--block wants nodes from 2 to 1000 as in 4x5x6, not '" +
                                  std::string(text) + "'");
    at = rest + (a == 2 ? 0 : 1);
  }
  block.clamped = block.nodes[0] * block.nodes[1];
  return block;
}

// One layer of cubes after the other is assembled: its entries, several for each place, are many
// more than the matrix has.
Matrix stiffness(const ElasticBlock& block) {
  const Unknowns unknowns(block);
  const std::vector<Tetrahedron> elements = tetrahedra();
  std::vector<Entry> all;
  for (int z = 0; z + 1 < block.nodes[2]; ++z) {
    std::vector<Entry> layer;
    for (int y = 0; y + 1 < block.nodes[1]; ++y)
      for (int x = 0; x + 1 < block.nodes[0]; ++x)
        for (const Tetrahedron& element : elements) add(layer, unknowns, element, {x, y, z});
    const Matrix sums = matrix_of(unknowns.free(), std::move(layer));
    for (std::size_t row = 0; row < sums.rows(); ++row)
      for (std::size_t k = sums.row_begin[row]; k < sums.row_begin[row + 1]; ++k)
        all.push_back({static_cast<Index>(row), sums.columns[k], sums.values[k]});
  }
  return matrix_of(unknowns.free(), std::move(all));
}

}  // namespace sparse
