#include "armature/array/layout.hpp"

#include <algorithm>
#include <utility>

#include "armature/error.hpp"

namespace armature::detail {
namespace {

[[noreturn]] void fail(const ArrayLayoutRequest& request, const std::string& why) {
  throw Error(Errc::bad_argument, "distributed_array '" + request.name + "': " + why);
}

void check(const ArrayLayoutRequest& request) {
  std::ptrdiff_t size = 1;
  for (std::size_t d = 0; d < request.shape.size(); ++d) {
    const std::string dimension = "dimension " + std::to_string(d);
    if (request.shape[d] < 0 || __builtin_mul_overflow(size, request.shape[d], &size))
      fail(request, dimension + " cannot have " + std::to_string(request.shape[d]) + " indices");
    if (request.ghosts[d] < 0) fail(request, dimension + " has a negative width of ghosts");
    if (request.grid[d] < 0) fail(request, dimension + " has a negative number of positions");
  }
}

std::vector<int> grid_of(const ArrayLayoutRequest& request) {
  std::vector<int> grid(request.grid.begin(), request.grid.end());
  std::vector<std::size_t> is_left;  // replicated dimensions that get what the others leave
  for (std::size_t d = 0; d < grid.size(); ++d) {
    const Distribution& distribution = request.distribution[d];
    if (distribution.kind() == Distribution::Kind::collapsed) {
      if (grid[d] > 1) fail(request, "a collapsed dimension is divided by the grid");
      grid[d] = 1;
    }
    if (distribution.kind() == Distribution::Kind::replicated && grid[d] == 0) {
      grid[d] = 1;
      is_left.push_back(d);
    }
    if (distribution.kind() == Distribution::Kind::gen_block && grid[d] == 0)
      grid[d] = static_cast<int>(distribution.lengths().size());
    if (distribution.kind() == Distribution::Kind::map && grid[d] == 0 &&
        !distribution.owners().empty())
      grid[d] = *std::ranges::max_element(distribution.owners()) + 1;
  }
  const bool is_given = std::ranges::find(grid, 0) == grid.end();
  std::vector<int> given = grid;
  std::ranges::replace(given, 0, 1);
  std::ptrdiff_t positions = 1;
  for (const int n : given)
    if (n < 1 || __builtin_mul_overflow(positions, n, &positions)) positions = -1;
  if (positions < 0 || positions > request.members)
    fail(request, "the grid has more positions than the team has members, which are " +
                      std::to_string(request.members));
  if (!is_given) choose_grid(request.shape, request.members, request.order, grid);
  for (const std::size_t d : is_left) {
    int used = 1;
    for (const int n : grid) used *= n;
    grid[d] = request.members / used;
  }
  return grid;
}

}  // namespace

ArrayLayout::ArrayLayout(const ArrayLayoutRequest& request)
    : ghosts_(request.ghosts.begin(), request.ghosts.end()),
      has_ghosts_(std::ranges::any_of(ghosts_, [](std::ptrdiff_t g) { return g > 0; })),
      order_(request.order),
      members_(request.members) {
  check(request);
  std::vector<int> grid = grid_of(request);
  std::vector<int> copies(grid.size(), 1);
  for (std::size_t d = 0; d < grid.size(); ++d)
    if (request.distribution[d].kind() == Distribution::Kind::replicated)
      std::swap(copies[d], grid[d]);
  placement_ = ArrayPlacement(grid, copies);
  for (std::size_t d = 0; d < grid.size(); ++d) {
    const std::string what =
        "distributed_array '" + request.name + "', dimension " + std::to_string(d);
    axes_.emplace_back(what.c_str(), request.distribution[d], request.shape[d], grid[d]);
    if (ghosts_[d] > 0 && !axes_.back().is_contiguous())
      fail(request, "dimension " + std::to_string(d) +
                        " has ghosts and a distribution that is not in blocks");
  }
}

std::ptrdiff_t ArrayLayout::size() const {
  std::ptrdiff_t size = 1;
  for (const ArrayAxis& axis : axes_) size *= axis.extent();
  return size;
}

ArrayBlock ArrayLayout::block(int member) const {
  const auto at = place(member);
  return at[0] < 0 ? ArrayBlock{} : block_at(at);
}

ArrayBlock ArrayLayout::block_at(const std::array<int, array_dimensions_max>& at) const {
  ArrayBlock block;
  block.size = 1;
  const std::size_t n = axes_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = order_ == Order::row_major ? n - 1 - i : i;
    block.counts[d] = axes_[d].count(at[d]);
    block.strides[d] = block.size;
    block.first += ghosts_[d] * block.size;
    block.size *= block.counts[d] + 2 * ghosts_[d];
  }
  return block;
}

ArrayLayout::Location ArrayLayout::locate(const std::ptrdiff_t* indices) const {
  Location where;
  const std::size_t n = axes_.size();
  std::array<int, array_dimensions_max> at{};
  std::ptrdiff_t stride = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = order_ == Order::row_major ? n - 1 - i : i;
    at[d] = axes_[d].owner(indices[d]);
    where.offset += (axes_[d].local(indices[d]) + ghosts_[d]) * stride;
    stride *= axes_[d].count(at[d]) + 2 * ghosts_[d];
  }
  where.member = placement_.member(at);
  return where;
}

ArrayLayout ArrayLayout::replaced(int d, ArrayAxis axis) const {
  ArrayLayout layout = *this;
  layout.ghosts_.assign(axes_.size(), 0);
  layout.has_ghosts_ = false;
  layout.axes_[static_cast<std::size_t>(d)] = std::move(axis);
  return layout;
}

ArrayLayout ArrayLayout::inserted(int d, std::ptrdiff_t extent) const {
  ArrayLayout layout = *this;
  layout.ghosts_.assign(axes_.size() + 1, 0);
  layout.has_ghosts_ = false;
  layout.placement_ = placement_.inserted(d);
  layout.axes_.insert(layout.axes_.begin() + d,
                      ArrayAxis("inserted", Distribution::collapsed(), extent, 1));
  return layout;
}

ArrayLayout ArrayLayout::aligned(const ArrayAlignmentRequest& request) const {
  const auto fail = [&](const std::string& why) {
    throw Error(Errc::bad_argument, "distributed_array '" + request.name +
                                        "', to be aligned with '" + request.other + "': " + why);
  };
  ArrayLayout layout;
  std::vector<bool> is_taken(axes_.size());
  for (std::size_t k = 0; k < request.shape.size(); ++k) {
    const int d = request.dimensions[k];
    const std::ptrdiff_t first = request.first[k], extent = request.shape[k];
    if (d < 0 || d >= dimensions())
      fail("there is no dimension " + std::to_string(d) + ", it has " +
           std::to_string(dimensions()));
    if (is_taken[static_cast<std::size_t>(d)])
      fail("two dimensions with dimension " + std::to_string(d));
    is_taken[static_cast<std::size_t>(d)] = true;
    if (first < 0 || extent < 0 || extent > axis(d).extent() - first)
      fail("indices " + std::to_string(first) + " to " + std::to_string(first + extent) +
           " of dimension " + std::to_string(d) + ", which has " +
           std::to_string(axis(d).extent()));
    layout.axes_.push_back(axis(d).part(first, extent));
  }
  layout.ghosts_.assign(request.shape.size(), 0);
  layout.order_ = order_;
  layout.members_ = members_;
  layout.placement_ = placement_.selected(request.dimensions, request.is_replicated);
  return layout;
}

}  // namespace armature::detail
