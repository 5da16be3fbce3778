#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "space/copy_pages.hpp"
#include "space/mapping.hpp"

namespace armature::checkpoints {

/// Ranges of numbers, none of which touches another.
class Ranges {
 public:
  struct Range {
    std::uint64_t begin, end;
    bool operator==(const Range&) const = default;
  };
  void add(Range range);
  void remove(Range range);
  [[nodiscard]] std::span<const Range> all() const { return all_; }

 private:
  std::vector<Range> all_;  // in order
};

/// The memory that ranks have asked to leave out, by its place in the memory file. Pages are left
/// out whole, those that hold other memory too are not. While ranks are
/// quiescent.
class LeftOut {
 public:
  /// Appends that of a rank of this node; ranks come in their order.
  void add(const space::Mapping& mapping, int rank);
  /// That of all ranks of which some memory lies in that part of the file.
  static LeftOut between(const space::Mapping& mapping, std::uint64_t begin, std::uint64_t end);

  /// Returns the next whole pages that are left out, at or behind a place; both are UINT64_MAX:
  /// none.
  [[nodiscard]] Ranges::Range pages_from(std::uint64_t place) const;
  [[nodiscard]] std::span<const Ranges::Range> ranges() const { return ranges_; }
  [[nodiscard]] std::uint64_t bytes() const;

  /// Copies pages as space::copy_pages does, and leaves out what is to be left out: that is zero in
  /// `to`.
  void copy_pages(int from, int to, std::uint64_t begin, std::uint64_t end,
                  const space::Touched& touched = {}) const;

 private:
  std::vector<Ranges::Range> ranges_;  // in order
};

}  // namespace armature::checkpoints
