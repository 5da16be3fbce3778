#pragma once

#include <concepts>
#include <cstddef>

namespace armature {

/// Indices of one dimension of an array: every `step`-th from `first`, before `last`. A step may be
/// negative. An integer is the range of that one index, which takes the dimension out of the
/// section's shape. A range that is default-constructed is the whole dimension.
///
///     Range(0, 10)        0, 1 ... 9
///     Range(1, 10, 4)     1, 5, 9
///     Range(9, -1, -3)    9, 6, 3, 0
class Range {
 public:
  constexpr Range() = default;
  /// A step of 0 gives no index.
  constexpr Range(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t step = 1)
      : first_(first), count_(count_of(first, last, step)), step_(step), kind_(Kind::some) {}
  template <std::integral I>
  constexpr Range(I index)  // NOLINT(google-explicit-constructor)
      : first_(static_cast<std::ptrdiff_t>(index)), count_(1), kind_(Kind::one) {}
  /// `count` indices from `first`; none if the step is 0.
  [[nodiscard]] static constexpr Range of(std::ptrdiff_t first, std::ptrdiff_t count,
                                          std::ptrdiff_t step = 1) {
    Range range;
    range.first_ = first;
    range.count_ = count < 0 || step == 0 ? 0 : count;
    range.step_ = step;
    range.kind_ = Kind::some;
    return range;
  }

  [[nodiscard]] constexpr std::ptrdiff_t first() const { return first_; }
  /// How many indices; 0 for a whole dimension whose extent is not known yet.
  [[nodiscard]] constexpr std::ptrdiff_t count() const { return count_; }
  [[nodiscard]] constexpr std::ptrdiff_t step() const { return step_; }
  /// Index number `i` of the range.
  [[nodiscard]] constexpr std::ptrdiff_t operator[](std::ptrdiff_t i) const {
    return first_ + i * step_;
  }
  [[nodiscard]] constexpr bool is_whole() const { return kind_ == Kind::whole; }
  [[nodiscard]] constexpr bool is_index() const { return kind_ == Kind::one; }
  /// The range, of a dimension of that extent.
  [[nodiscard]] constexpr Range within(std::ptrdiff_t extent) const {
    return is_whole() ? Range(0, extent) : *this;
  }
  friend constexpr bool operator==(const Range&, const Range&) = default;
  /// As many indices, each so much higher or lower. A whole dimension stays one.
  friend constexpr Range operator+(Range range, std::ptrdiff_t by) {
    if (!range.is_whole()) range.first_ += by;
    return range;
  }
  friend constexpr Range operator-(const Range& range, std::ptrdiff_t by) { return range + -by; }

 private:
  enum class Kind : char { whole, some, one };

  static constexpr std::ptrdiff_t count_of(std::ptrdiff_t first, std::ptrdiff_t last,
                                           std::ptrdiff_t step) {
    if (step > 0) return last > first ? (last - first + step - 1) / step : 0;
    if (step < 0) return first > last ? (first - last - step - 1) / -step : 0;
    return 0;
  }

  std::ptrdiff_t first_ = 0;
  std::ptrdiff_t count_ = 0;
  std::ptrdiff_t step_ = 1;
  Kind kind_ = Kind::whole;
};

}  // namespace armature
