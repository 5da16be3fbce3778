#include "armature/array/plan.hpp"

#include <algorithm>
#include <cstdlib>

#include "armature/error.hpp"

// A plan is a product. In each dimension every position of the grid has some factors: stretches of
// indices that lie at equal distances on both sides. A member's share is the product of those of
// its coordinates; each combination of factors is a box.

namespace armature::detail {
namespace {

struct Factor {
  std::ptrdiff_t count;
  std::ptrdiff_t remote;
  std::ptrdiff_t remote_step;
  std::ptrdiff_t local;
  std::ptrdiff_t local_step;
  bool is_outside = false;  // of what this member has in this dimension
};
struct Position {
  int at;
  std::vector<Factor> factors;
};

/// The factors of all dimensions of the remote array, and how the local memory is laid out.
struct Product {
  const ArrayLayout& remote;
  std::vector<std::vector<Position>> dimensions;
  PerDimension local_strides{};  // by dimension of the remote array
  std::ptrdiff_t local_first = 0;
  int outside_min = 0;
  int outside_max = array_dimensions_max;
};

/// Appends a level, or makes the one before it longer.
void append(ArrayBox& box, const ArrayBox::Level& level) {
  if (level.count == 1) return;
  if (box.levels > 0) {
    ArrayBox::Level& last = box.level[static_cast<std::size_t>(box.levels - 1)];
    if (level.remote_stride == last.count * last.remote_stride &&
        level.local_stride == last.count * last.local_stride) {
      last.count *= level.count;
      return;
    }
  }
  box.level[static_cast<std::size_t>(box.levels++)] = level;
}

/// Returns the box with its levels in order.
ArrayBox in_order(const ArrayBox& box) {
  std::array<ArrayBox::Level, array_dimensions_max> sorted{};
  const auto levels = static_cast<std::size_t>(box.levels);
  for (std::size_t i = 0; i < levels; ++i) {  // few: by insertion
    std::size_t at = i;
    while (at > 0 &&
           std::abs(sorted[at - 1].remote_stride) > std::abs(box.level[i].remote_stride)) {
      sorted[at] = sorted[at - 1];
      --at;
    }
    sorted[at] = box.level[i];
  }
  ArrayBox merged;
  merged.remote = box.remote;
  merged.local = box.local;
  for (std::size_t i = 0; i < levels; ++i) append(merged, sorted[i]);
  return merged;
}

class Multiplication {
 public:
  explicit Multiplication(const Product& product) : product_(product) {}
  std::vector<ArrayPartner> run() {
    choose_position(0);
    return std::move(partners_);
  }

 private:
  void choose_position(std::size_t d) {
    if (d == product_.dimensions.size()) {
      block_ = product_.remote.block_at(at_);
      partners_.push_back({product_.remote.placement().member(at_), {}});
      choose_factor(0, {block_.first, product_.local_first, 0, {}}, 0);
      if (partners_.back().boxes.empty()) partners_.pop_back();
      return;
    }
    for (const Position& position : product_.dimensions[d]) {
      at_[d] = position.at;
      factors_[d] = &position.factors;
      choose_position(d + 1);
    }
  }
  void choose_factor(std::size_t d, const ArrayBox& box, int outside) {
    if (d == product_.dimensions.size()) {
      if (outside >= product_.outside_min && outside <= product_.outside_max)
        partners_.back().boxes.push_back(in_order(box));
      return;
    }
    const std::ptrdiff_t remote_stride = block_.strides[d];
    const std::ptrdiff_t local_stride = product_.local_strides[d];
    for (const Factor& factor : *factors_[d]) {
      ArrayBox next = box;
      next.remote += factor.remote * remote_stride;
      next.local += factor.local * local_stride;
      if (factor.count > 1)
        next.level[static_cast<std::size_t>(next.levels++)] = {
            factor.count, factor.remote_step * remote_stride, factor.local_step * local_stride};
      choose_factor(d + 1, next, outside + (factor.is_outside ? 1 : 0));
    }
  }

  const Product& product_;
  std::array<int, array_dimensions_max> at_{};
  std::array<const std::vector<Factor>*, array_dimensions_max> factors_{};
  ArrayBlock block_;
  std::vector<ArrayPartner> partners_;
};

std::vector<ArrayRun> runs_of(const ArrayAxis& axis, int position, const Range& range,
                              bool is_periodic) {
  std::vector<ArrayRun> runs;
  if (is_periodic)
    axis.append_periodic_runs(position, range, runs);
  else
    axis.append_runs(position, range, 0, runs);
  return runs;
}

/// The factors of a dimension whose local side is counted by the numbers of the range.
std::vector<Position> by_number(const ArrayAxis& axis, const Range& range, bool is_periodic) {
  std::vector<Position> positions;
  for (int p = 0; p < axis.positions(); ++p) {
    Position position{p, {}};
    for (const ArrayRun& run : runs_of(axis, p, range, is_periodic))
      position.factors.push_back({run.count, run.local, run.local_step, run.at, run.step});
    if (!position.factors.empty()) positions.push_back(std::move(position));
  }
  return positions;
}

}  // namespace

std::string ArraySection::shape_text() const {
  std::string text;
  for (int k = 0; k < open; ++k) text += (k == 0 ? "" : " x ") + std::to_string(count(k));
  return open == 0 ? "one element" : text;
}

bool ArraySection::has_shape_of(const ArraySection& other) const {
  if (open != other.open) return false;
  for (int k = 0; k < open; ++k)
    if (count(k) != other.count(k)) return false;
  return true;
}

namespace {

[[noreturn]] void fail_index(const std::string& name, std::ptrdiff_t index, std::size_t dimension,
                             std::ptrdiff_t extent) {
  throw Error(Errc::bad_argument, "distributed_array '" + name + "': there is no index " +
                                      std::to_string(index) + " in dimension " +
                                      std::to_string(dimension) + ", which has " +
                                      std::to_string(extent));
}

}  // namespace

void require_index(const std::string& name, const ArrayLayout& layout,
                   const std::ptrdiff_t* indices) {
  for (int d = 0; d < layout.dimensions(); ++d)
    if (indices[d] < 0 || indices[d] >= layout.axis(d).extent())
      fail_index(name, indices[d], static_cast<std::size_t>(d), layout.axis(d).extent());
}

ArraySection make_section(const std::string& name, const ArrayLayout& layout, const Range* ranges,
                          bool is_periodic) {
  ArraySection section;
  section.dimensions = layout.dimensions();
  section.is_periodic = is_periodic;
  for (std::size_t d = 0; d < static_cast<std::size_t>(section.dimensions); ++d) {
    const std::ptrdiff_t extent = layout.axis(static_cast<int>(d)).extent();
    const Range range = ranges[d].within(extent);
    section.ranges[d] = range;
    if (!range.is_index())
      section.axes[static_cast<std::size_t>(section.open++)] = static_cast<int>(d);
    if (range.count() == 0) continue;
    if (is_periodic && extent > 0) continue;
    for (const std::ptrdiff_t end : {range.first(), range[range.count() - 1]})
      if (end < 0 || end >= extent) fail_index(name, end, d, extent);
  }
  return section;
}

std::vector<ArrayPartner> plan_section(const ArrayLayout& layout, const ArraySection& section,
                                       const PerDimension& strides) {
  Product product{layout, {}};
  for (int d = 0; d < section.dimensions; ++d)
    product.dimensions.push_back(by_number(
        layout.axis(d), section.ranges[static_cast<std::size_t>(d)], section.is_periodic));
  for (std::size_t k = 0; k < static_cast<std::size_t>(section.open); ++k) {
    if (section.axes[k] >= 0) {
      product.local_strides[static_cast<std::size_t>(section.axes[k])] = strides[k];
      continue;
    }
    // A dimension that the array has not: one step there moves the local side alone.
    if (section.spread[k] == 0) return {};
    product.local_strides[product.dimensions.size()] = strides[k];
    product.dimensions.push_back({Position{0, {{section.spread[k], 0, 0, 0, 1}}}});
  }
  return Multiplication(product).run();
}

ArraySection spread_section(const std::string& name, const ArraySection& section, int k,
                            std::ptrdiff_t count) {
  const auto fail = [&](const std::string& why) {
    throw Error(Errc::bad_argument, "distributed_array '" + name + "': " + why);
  };
  if (k < 0 || k > section.open)
    fail("a section of " + std::to_string(section.open) +
         " dimensions cannot be spread along a new dimension " + std::to_string(k));
  if (count < 0) fail("a section cannot be spread " + std::to_string(count) + " times");
  const auto spread = std::ranges::count(section.axes, -1);  // dimensions that the array has not
  if (section.dimensions + spread >= array_dimensions_max || section.open >= array_dimensions_max)
    fail("a section has no more than eight dimensions");
  ArraySection more = section;
  const auto at = static_cast<std::size_t>(k);
  for (auto i = static_cast<std::size_t>(section.open); i > at; --i) {
    more.axes[i] = section.axes[i - 1];
    more.spread[i] = section.spread[i - 1];
  }
  more.axes[at] = -1;
  more.spread[at] = count;
  ++more.open;
  return more;
}

namespace {

/// The factors of a dimension of the remote section, of what has `mine` on this side.
std::vector<Position> in_common(const ArrayAxis& axis, const Range& range, bool is_periodic,
                                const std::vector<ArrayRun>& mine) {
  std::vector<Position> positions;
  for (int p = 0; p < axis.positions(); ++p) {
    std::vector<ArrayRun> ours, theirs;
    for (const ArrayRun& there : runs_of(axis, p, range, is_periodic))
      for (const ArrayRun& here : mine) append_common(here, there, ours, theirs);
    Position position{p, {}};
    for (std::size_t i = 0; i < ours.size(); ++i)
      position.factors.push_back({ours[i].count, theirs[i].local, theirs[i].local_step,
                                  ours[i].local, ours[i].local_step});
    if (!position.factors.empty()) positions.push_back(std::move(position));
  }
  return positions;
}

}  // namespace

std::vector<ArrayPartner> plan_copy(const ArrayLayout& from, const ArraySection& from_section,
                                    int me, const ArrayLayout& to, const ArraySection& to_section) {
  if (!from.placement().is_original(me)) return {};
  const auto here = from.place(me);
  const ArrayBlock block = from.block_at(here);
  Product product{to, {}};
  product.local_first = block.first;
  // Dimensions of which the section has one index: it is here, or nothing is.
  std::vector<std::vector<ArrayRun>> mine;
  for (std::size_t d = 0; d < static_cast<std::size_t>(from_section.dimensions); ++d) {
    mine.push_back(runs_of(from.axis(static_cast<int>(d)), here[d], from_section.ranges[d],
                           from_section.is_periodic));
    if (mine.back().empty()) return {};
    if (from_section.ranges[d].is_index())
      product.local_first += mine.back().front().local * block.strides[d];
  }
  for (int d = 0; d < to_section.dimensions; ++d) {
    const auto at = static_cast<std::size_t>(d);
    const auto* const end = to_section.axes.begin() + to_section.open;
    const auto* const open = std::find(to_section.axes.begin(), end, d);
    if (open == end) {
      product.dimensions.push_back(
          by_number(to.axis(d), to_section.ranges[at], to_section.is_periodic));
      continue;
    }
    const int axis = from_section.axes[static_cast<std::size_t>(open - to_section.axes.begin())];
    if (axis < 0) {  // the same elements for each index there
      product.dimensions.push_back(
          by_number(to.axis(d), to_section.ranges[at], to_section.is_periodic));
      continue;
    }
    const auto source = static_cast<std::size_t>(axis);
    product.local_strides[at] = block.strides[source];
    product.dimensions.push_back(
        in_common(to.axis(d), to_section.ranges[at], to_section.is_periodic, mine[source]));
  }
  return Multiplication(product).run();
}

namespace {

/// The factors of one dimension: the own indices, and the ghosts on both sides.
std::vector<Position> with_ghosts(const ArrayAxis& axis, int here, std::ptrdiff_t ghosts,
                                  bool is_periodic) {
  const std::ptrdiff_t count = axis.count(here);
  std::vector<Position> positions;
  for (int p = 0; p < axis.positions(); ++p) {
    Position position{p, {}};
    if (p == here) position.factors.push_back({count, 0, 1, 0, 1, false});
    for (const std::ptrdiff_t from : {-ghosts, count}) {
      if (ghosts == 0) continue;  // the distribution need not be in blocks
      std::ptrdiff_t low = axis.first(here) + from, high = low + ghosts;
      if (!is_periodic) {
        low = std::clamp<std::ptrdiff_t>(low, 0, axis.extent());
        high = std::clamp<std::ptrdiff_t>(high, 0, axis.extent());
      }
      const std::ptrdiff_t skipped = low - axis.first(here);
      for (const ArrayRun& run : runs_of(axis, p, Range(low, high), is_periodic))
        position.factors.push_back(
            {run.count, run.local, run.local_step, skipped + run.at, run.step, true});
    }
    if (!position.factors.empty()) positions.push_back(std::move(position));
  }
  return positions;
}

}  // namespace

std::vector<ArrayPartner> plan_ghosts(const ArrayLayout& layout, int me,
                                      const std::array<bool, array_dimensions_max>& periodic,
                                      int outside_max) {
  const auto here = layout.place(me);
  if (here[0] < 0) return {};
  const ArrayBlock block = layout.block_at(here);
  Product product{layout, {}};
  product.local_first = block.first;
  product.local_strides = block.strides;
  product.outside_min = 1;
  product.outside_max = outside_max;
  for (std::size_t d = 0; d < static_cast<std::size_t>(layout.dimensions()); ++d) {
    if (block.counts[d] == 0) return {};
    const int number = static_cast<int>(d);
    product.dimensions.push_back(
        with_ghosts(layout.axis(number), here[d], layout.ghosts(number), periodic[d]));
  }
  return Multiplication(product).run();
}

}  // namespace armature::detail
