#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace armature::space {

/// The parts of a segment's far end that symmetric memory takes: places only. They are given out
/// from the end down. Whoever allocates them chooses them at several ranks at once, so any free
/// place may be taken.
///
/// Invariant: taken parts are sorted, do not overlap, and end at or before `end`.
class SymmetricArea {
 public:
  /// Distances in bytes from the beginning of the segment.
  struct Part {
    std::uint64_t begin, end;
  };

  explicit SymmetricArea(std::uint64_t end) : end_(end) {}

  /// The start of the highest free part of so many bytes that ends at `end_max` or before and
  /// begins at `begin_min` or behind.
  [[nodiscard]] std::optional<std::uint64_t> highest(std::uint64_t bytes, std::uint64_t end_max,
                                                     std::uint64_t begin_min) const;
  /// False where some of it is taken, or lies behind the end.
  [[nodiscard]] bool take(Part part);
  /// Frees the part that begins there and returns it.
  std::optional<Part> release(std::uint64_t begin);
  /// Whether a taken part begins there.
  [[nodiscard]] bool begins(std::uint64_t at) const;
  /// The start of the lowest taken part, or the end of the area where nothing is taken.
  [[nodiscard]] std::uint64_t begin() const { return taken_.empty() ? end_ : taken_.front().begin; }

 private:
  std::uint64_t end_;
  std::vector<Part> taken_;
};

}  // namespace armature::space
