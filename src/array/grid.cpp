#include <algorithm>
#include <limits>
#include <vector>

#include "armature/array/layout.hpp"

// All ways to write the number of members as a product are tried. They are few: 1,024 members in
// eight dimensions have 19,448.

namespace armature::detail {
namespace {

class GridSearch {
 public:
  GridSearch(std::span<const std::ptrdiff_t> shape, Order order, std::span<int> grid)
      : shape_(shape), order_(order), grid_(grid), current_(grid.begin(), grid.end()) {
    for (std::size_t d = 0; d < grid.size(); ++d)
      if (grid[d] == 0) free_.push_back(d);
  }
  void run(int members) { choose(0, members); }

 private:
  void choose(std::size_t next, int left) {
    if (next == free_.size()) {
      if (left == 1) judge();
      return;
    }
    for (int n = 1; n <= left; ++n) {
      if (left % n != 0) continue;
      current_[free_[next]] = n;
      choose(next + 1, left / n);
    }
  }

  /// How much larger the grid is than the array, and the elements on faces between a block and its
  /// neighbours.
  [[nodiscard]] std::pair<double, double> cost() const {
    double elements = 1, idle = 1, faces = 0;
    for (std::size_t d = 0; d < grid_.size(); ++d) elements *= length(d);
    for (std::size_t d = 0; d < grid_.size(); ++d) {
      faces += std::min(current_[d] - 1, 2) * elements / length(d);
      idle *= std::max(1.0, current_[d] / std::max(1.0, static_cast<double>(shape_[d])));
    }
    return {idle, faces};
  }
  [[nodiscard]] double length(std::size_t d) const {
    return static_cast<double>(
        std::max<std::ptrdiff_t>(1, (shape_[d] + current_[d] - 1) / std::max(1, current_[d])));
  }

  void judge() {
    const auto now = cost();
    if (now > best_ || (now == best_ && !cuts_farther_apart())) return;
    best_ = now;
    std::ranges::copy(current_, grid_.begin());
  }
  /// Whether the current grid divides a dimension more that lies farther apart in memory.
  [[nodiscard]] bool cuts_farther_apart() const {
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      const std::size_t d = order_ == Order::row_major ? i : grid_.size() - 1 - i;
      if (current_[d] != grid_[d]) return current_[d] > grid_[d];
    }
    return false;
  }

  std::span<const std::ptrdiff_t> shape_;
  Order order_;
  std::span<int> grid_;
  std::vector<int> current_;
  std::vector<std::size_t> free_;
  std::pair<double, double> best_{std::numeric_limits<double>::infinity(), 0};
};

}  // namespace

void choose_grid(std::span<const std::ptrdiff_t> shape, int members, Order order,
                 std::span<int> grid) {
  int left = members;
  for (const int n : grid)
    if (n > 0) left /= n;
  GridSearch(shape, order, grid).run(std::max(left, 1));
}

}  // namespace armature::detail
