#include "section.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "calls.hpp"
#include "numbers.hpp"

namespace caf {
namespace {

template <class Integer>
void append(std::vector<std::ptrdiff_t>& distances, const void* values, std::size_t count,
            std::ptrdiff_t lower, std::ptrdiff_t stride) {
  const auto* const subscripts = static_cast<const Integer*>(values);
  for (std::size_t i = 0; i < count; ++i)
    distances.push_back((static_cast<std::ptrdiff_t>(subscripts[i]) - lower) * stride);
}

/// The number of elements of first:last:step.
std::size_t count_of(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t step) {
  const std::ptrdiff_t count = step == 0 ? 0 : (last - first + step) / step;
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

/// Goes through rows of equal lengths on both sides, or element by element where they differ.
void assign_each(const Section& to, const ElementType& to_type, const Section& from,
                 const ElementType& from_type, Assign assign) {
  std::vector<const std::byte*> sources;
  sources.reserve(from.elements());
  from.for_each([&](const std::byte* address) { sources.push_back(address); });
  std::size_t next = 0;
  to.for_each([&](std::byte* address) {
    assign({address, 0}, to_type, {sources[next++], 0}, from_type, 1);
  });
}

}  // namespace

void Section::add(Axis axis) {
  if (axis.count == 1) {
    begin_ += distance(axis, 0);
    return;
  }
  if (rank_ > 0 && axis.distances.empty() && axis.count > 0) {
    Axis& before = axes_[static_cast<std::size_t>(rank_) - 1];
    if (before.distances.empty() && before.count > 0 &&
        static_cast<std::ptrdiff_t>(before.count) * before.stride == axis.stride) {
      before.count *= axis.count;
      return;
    }
  }
  axes_[static_cast<std::size_t>(rank_++)] = std::move(axis);
}

std::size_t Section::elements() const {
  std::size_t all = 1;
  for (int i = 0; i < rank_; ++i) all *= axis(i).count;
  return all;
}

bool Section::has_vectors() const {
  for (int i = 0; i < rank_; ++i)
    if (!axis(i).distances.empty()) return true;
  return false;
}

bool Section::is_dense(std::size_t element_bytes) const {
  return rank_ == 0 || (rank_ == 1 && axes_[0].distances.empty() &&
                        axes_[0].stride == static_cast<std::ptrdiff_t>(element_bytes));
}

std::vector<std::ptrdiff_t> distances_of(const void* values, std::size_t count, int kind,
                                         std::ptrdiff_t lower, std::ptrdiff_t stride) {
  std::vector<std::ptrdiff_t> distances;
  distances.reserve(count);
  switch (kind) {
    case 1:
      append<std::int8_t>(distances, values, count, lower, stride);
      break;
    case 2:
      append<std::int16_t>(distances, values, count, lower, stride);
      break;
    case 4:
      append<std::int32_t>(distances, values, count, lower, stride);
      break;
    case 8:
      append<std::int64_t>(distances, values, count, lower, stride);
      break;
    case 16:
      append<Integer16>(distances, values, count, lower, stride);
      break;
    default:
      refuse("a vector subscript of kind " + std::to_string(kind) + ", which is none");
  }
  return distances;
}

std::ptrdiff_t span_of(const Descriptor& array) {
  if (array.data_type.version == version_with_bytes) return 1;
  // gfortran 12 leaves the span as it was on the stack in a local allocatable array that has got
  // its value from a function, and in descriptors of components that it broadcasts. So a span is
  // taken only where it may be the size of an object with such a component.
  const auto element = static_cast<std::ptrdiff_t>(array.data_type.element_bytes);
  constexpr std::ptrdiff_t span_max = std::numeric_limits<std::int32_t>::max();
  const bool is_larger = array.rank() > 0 && array.span > element && array.span <= span_max;
  const std::ptrdiff_t lowest_bit = element & -element;
  const std::ptrdiff_t alignment = std::clamp<std::ptrdiff_t>(lowest_bit, 1, 8);
  return is_larger && array.span % alignment == 0 ? array.span : element;
}

ElementType element_of(const Descriptor& array, int kind) {
  return {array.data_type.type, kind, array.data_type.element_bytes};
}

Section section_of(const Descriptor& array, std::byte* begin, const Subscripts* subscripts) {
  Section section(begin);
  const std::ptrdiff_t span = span_of(array);
  for (int i = 0; i < array.rank(); ++i) {
    const Dimension& dimension = array.dimensions[i];
    const std::ptrdiff_t stride = dimension.stride * span;
    if (subscripts == nullptr) {
      section.add(static_cast<std::size_t>(dimension.extent()), stride);
    } else if (const Subscripts& chosen = subscripts[i]; chosen.count > 0) {
      section.add({chosen.count, 0,
                   distances_of(chosen.vector.values, chosen.count, chosen.vector.kind,
                                dimension.lower, stride)});
    } else {
      section.move((chosen.triplet.lower - dimension.lower) * stride);
      section.add(count_of(chosen.triplet.lower, chosen.triplet.upper, chosen.triplet.stride),
                  chosen.triplet.stride * stride);
    }
  }
  return section;
}

void assign(const Section& to, const ElementType& to_type, const Section& from,
            const ElementType& from_type) {
  const std::size_t count = to.elements();
  const bool is_scalar = from.rank() == 0;
  if (!is_scalar && from.elements() != count)
    refuse(std::to_string(from.elements()) + " elements are assigned to " + std::to_string(count));
  const Assign one = assignment(to_type, from_type);
  if (is_scalar)
    return to.for_each_row([&](std::byte* row, const Axis& first) {
      if (first.distances.empty())
        return one({row, first.stride}, to_type, {from.begin(), 0}, from_type, first.count);
      for (std::size_t i = 0; i < first.count; ++i)
        one({row + Section::distance(first, i), 0}, to_type, {from.begin(), 0}, from_type, 1);
    });
  // The common case: one side lies in a row, and the other one is gone through row by row.
  if (from.rank() <= 1 && !from.has_vectors() && !to.has_vectors()) {
    const std::byte* next = from.begin();
    const std::ptrdiff_t stride = from.axis(0).stride;
    return to.for_each_row([&](std::byte* row, const Axis& first) {
      one({row, first.stride}, to_type, {next, stride}, from_type, first.count);
      next += static_cast<std::ptrdiff_t>(first.count) * stride;
    });
  }
  if (to.rank() <= 1 && !from.has_vectors() && !to.has_vectors()) {
    std::byte* next = to.begin();
    const std::ptrdiff_t stride = to.rank() == 0 ? 0 : to.axis(0).stride;
    return from.for_each_row([&](const std::byte* row, const Axis& first) {
      one({next, stride}, to_type, {row, first.stride}, from_type, first.count);
      next += static_cast<std::ptrdiff_t>(first.count) * stride;
    });
  }
  assign_each(to, to_type, from, from_type, one);
}

}  // namespace caf
