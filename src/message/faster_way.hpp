#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace armature::message {

/// Finds out which of two ways is the faster one for so many bytes, by the time that they took. The
/// kernel copies at a quarter of memory's speed on one machine and at half on the next. A ring or a
/// window in shared memory waits for a sender that has no core, and takes one copy more. Both are
/// tried some times at first, and the slower one seldom from then on.
class FasterWay {
 public:
  enum Way : std::uint8_t { kernel, memory };

  [[nodiscard]] Way choose(std::size_t bytes) {
    Class& sizes = class_of(bytes);
    const bool kernel_is_faster = sizes.ns_per_kib[kernel] <= sizes.ns_per_kib[memory];
    const Way faster = kernel_is_faster ? kernel : memory;
    const Way slower = kernel_is_faster ? memory : kernel;
    const std::uint32_t number = sizes.chosen++;
    if (number < 2 * tries) return number % 2 == 0 ? kernel : memory;
    return number % tried_again_every == 0 ? slower : faster;
  }
  void note(Way way, std::size_t bytes, std::uint64_t ns) {
    Class& sizes = class_of(bytes);
    double& mean = sizes.ns_per_kib[way];
    const double now = static_cast<double>(ns) * 1024 / static_cast<double>(bytes);
    // The first times touch pages that later ones have.
    if (sizes.noted[way] < tries) {
      ++sizes.noted[way];
      mean = std::min(mean, now);
      return;
    }
    // A copy that was interrupted counts little; where most are, that is how it is.
    mean += (std::min(now, 4 * mean) - mean) / 8;
  }

 private:
  static constexpr std::uint32_t tries = 3, tried_again_every = 64;
  static constexpr double unknown = std::numeric_limits<double>::max();
  /// Lengths between two powers of two.
  struct Class {
    std::array<double, 2> ns_per_kib{unknown, unknown};
    std::array<std::uint32_t, 2> noted{};
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
