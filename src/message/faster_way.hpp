#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace armature::message {

/// Finds out which of two ways is the faster one for so many bytes, by the time that they took. The
/// kernel copies at a quarter of memory's speed on one machine and at half on the next. The ring
/// waits for a sender that has no core. Both are tried some times at first, and the slower one
/// seldom from then on.
class FasterWay {
 public:
  enum Way : std::uint8_t { kernel, ring };

  [[nodiscard]] Way choose(std::size_t bytes) {
    Class& sizes = class_of(bytes);
    const bool kernel_is_faster = sizes.ns_per_kib[kernel] <= sizes.ns_per_kib[ring];
    const Way faster = kernel_is_faster ? kernel : ring;
    const Way slower = kernel_is_faster ? ring : kernel;
    const std::uint32_t number = sizes.chosen++;
    if (number < 2 * tries) return number % 2 == 0 ? kernel : ring;
    return number % tried_again_every == 0 ? slower : faster;
  }
  void note(Way way, std::size_t bytes, std::uint64_t ns) {
    double& mean = class_of(bytes).ns_per_kib[way];
    const double now = static_cast<double>(ns) * 1024 / static_cast<double>(bytes);
    // A copy that was interrupted counts little; where most are, that is how it is.
    mean = mean == unknown ? now : mean + (std::min(now, 4 * mean) - mean) / 8;
  }

 private:
  static constexpr std::uint32_t tries = 3, tried_again_every = 64;
  static constexpr double unknown = std::numeric_limits<double>::max();
  /// Lengths between two powers of two.
  struct Class {
    std::array<double, 2> ns_per_kib{unknown, unknown};
    std::uint32_t chosen = 0;
  };

  Class& class_of(std::size_t bytes) {
    constexpr std::size_t least = 14;  // 8 KiB and more
    const auto width = static_cast<std::size_t>(std::bit_width(bytes));
    return classes_[std::clamp(width, least, least + classes_.size() - 1) - least];
  }

  std::array<Class, 12> classes_;
};

}  // namespace armature::message
