#include "armature/array/disk_array.hpp"

#include <algorithm>

namespace armature::detail {

FileSection file_section(const std::string& path, const npy_header& header,
                         std::span<const Range> ranges) {
  FileSection section;
  const std::size_t dimensions = ranges.size();
  std::ptrdiff_t stride = 1;
  // From the dimension whose elements are next to each other to the one that changes least often.
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = header.fortran_order ? i : dimensions - 1 - i;
    const std::ptrdiff_t extent = header.shape[d];
    const Range range = ranges[d].within(extent);
    if (range.count() > 0)
      for (const std::ptrdiff_t index : {range.first(), range[range.count() - 1]})
        if (index < 0 || index >= extent)
          throw Error(Errc::bad_argument, path + ": index " + std::to_string(index) +
                                              " of dimension " + std::to_string(d) +
                                              " is not in 0 to " + std::to_string(extent - 1));
    if (range.count() > 0) section.first += range.first() * stride;
    if (!range.is_index()) {
      section.counts[static_cast<std::size_t>(section.open)] = range.count();
      section.strides[static_cast<std::size_t>(section.open++)] = range.step() * stride;
    }
    stride *= extent;
  }
  std::reverse(section.counts.begin(), section.counts.begin() + section.open);
  std::reverse(section.strides.begin(), section.strides.begin() + section.open);
  return section;
}

void require_fits(const NpyFile& file, const FileSection& in_file, const ArrayStore& store,
                  const ArraySection& section) {
  bool is_same = section.open == in_file.open;
  for (int k = 0; is_same && k < section.open; ++k) {
    const int there = file.header().fortran_order ? section.open - 1 - k : k;
    is_same = section.count(k) == in_file.counts[static_cast<std::size_t>(there)];
  }
  if (!is_same) {
    std::string text;
    for (int k = 0; k < in_file.open; ++k) {
      const int there = file.header().fortran_order ? in_file.open - 1 - k : k;
      text +=
          (k == 0 ? "" : " x ") + std::to_string(in_file.counts[static_cast<std::size_t>(there)]);
    }
    throw Error(Errc::bad_argument, file.path() + ": a section of " +
                                        (in_file.open == 0 ? "one element" : text) +
                                        " and one of " + section.shape_text() +
                                        " of distributed_array '" + store.name() + "'");
  }
  bool is_same_team = store.team().size() == file.team().size();
  for (int m = 0; is_same_team && m < file.team().size(); ++m)
    is_same_team = store.team().world_rank(m) == file.team().world_rank(m);
  if (!is_same_team)
    throw Error(Errc::bad_argument, file.path() + ": distributed_array '" + store.name() +
                                        "' belongs to another team than the file");
}

}  // namespace armature::detail
