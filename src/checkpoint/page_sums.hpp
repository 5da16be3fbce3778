#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armature::checkpoints {

/// Tells which pages have changed since the checkpoint before: those whose checksums are others. A
/// number for each page that is not zeros is kept, since that takes 1/256 of the memory. The
/// kernel's account of writes (soft-dirty pages) was rejected: many kernels are built without.
/// Where they have it, it is of each process's mappings, while several write to the same file.
///
/// Two contents of a page have the same checksum once in 2^64 times.
class PageSums {
 public:
  /// Begins another checkpoint; its pages come in the order of the file. `from_nothing`: nothing is
  /// known of the checkpoint before, all that is not zeros has changed.
  void begin(bool from_nothing);
  /// Whether this page has to be written: it has changed, perhaps to zeros.
  [[nodiscard]] bool is_changed(std::uint64_t offset, const std::byte* page, bool is_zero);
  /// Calls take(offset) for each page in front of `end` that has not come again: there is nothing
  /// now, or zeros.
  template <class Take>
  void take_missing(std::uint64_t end, Take&& take) {
    for (; next_ < before_.size() && before_[next_].offset < end; ++next_)
      take(before_[next_].offset);
  }

 private:
  struct Page {
    std::uint64_t offset = 0, sum = 0;
  };
  std::vector<Page> before_, now_;  // those that are not zeros
  std::size_t next_ = 0;            // of those before, the first that has not come
};

}  // namespace armature::checkpoints
