#include "armature/array/use.hpp"

#include <algorithm>
#include <array>

namespace armature::detail {

std::string element_text(const std::ptrdiff_t* indices, int dimensions) {
  std::string text = "(";
  for (int d = 0; d < dimensions; ++d) text += (d == 0 ? "" : ", ") + std::to_string(indices[d]);
  return text + ")";
}

std::string section_text(const ArraySection& section) {
  std::string text = "[";
  for (std::size_t d = 0; d < static_cast<std::size_t>(section.dimensions); ++d) {
    const Range& range = section.ranges[d];
    if (d > 0) text += ", ";
    text += std::to_string(range.first());
    if (range.is_index()) continue;
    text += ":" + std::to_string(range[range.count()]);
    if (range.step() != 1) text += ":" + std::to_string(range.step());
  }
  return text + "]";
}

void fail_use(const std::string& array, ArrayPhase phase, ArrayUse use, const std::string& place) {
  constexpr std::array<const char*, 4> phases = {"no", "a read-only", "a write-once",
                                                 "an accumulate"};
  constexpr std::array<const char*, 4> uses = {"a get of ", "a put to ", "an accumulate to ", ""};
  throw Error(Errc::misuse, "distributed_array '" + array + "' is in " +
                                phases[static_cast<std::size_t>(phase)] +
                                " phase: " + uses[static_cast<std::size_t>(use)] + place +
                                " must wait until it ends");
}

ArrayBox whole_block(const ArrayBlock& block) {
  ArrayBox box{.remote = block.first, .local = block.first, .levels = 0, .level = {}};
  std::array<std::size_t, array_dimensions_max> order{};
  std::size_t dimensions = 0;
  while (dimensions < order.size() && block.strides[dimensions] > 0) ++dimensions;
  for (std::size_t d = 0; d < dimensions; ++d) order[d] = d;
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(dimensions),
            [&](std::size_t a, std::size_t b) { return block.strides[a] < block.strides[b]; });
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = order[i];
    box.level[static_cast<std::size_t>(box.levels++)] = {block.counts[d], block.strides[d],
                                                         block.strides[d]};
  }
  return box;
}

}  // namespace armature::detail
