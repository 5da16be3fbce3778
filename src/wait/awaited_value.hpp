#pragma once

#include <cstdint>

#include "armature/wait_until.hpp"

namespace armature::wait {

/// How a rank waits for values of words, as its wait record says it in `team`: the relation, of how
/// many words, and whether the value in `detail` is that of all of them.
struct AwaitedValue {
  enum class Of : std::uint32_t { one, any, all };

  Comparison comparison = Comparison::eq;
  Of of = Of::one;
  bool is_signed = false;
  bool each_has_its_own = false;
  std::uint32_t count = 1;  // of words; of more than count_max, that

  static constexpr std::uint32_t count_max = (1u << 24) - 1;

  [[nodiscard]] std::uint32_t packed() const {
    return static_cast<std::uint32_t>(comparison) | static_cast<std::uint32_t>(of) << 3 |
           std::uint32_t{is_signed} << 5 | std::uint32_t{each_has_its_own} << 6 | count << 8;
  }
  [[nodiscard]] static AwaitedValue unpacked(std::uint32_t word) {
    return {.comparison = static_cast<Comparison>(word & 7),
            .of = static_cast<Of>(word >> 3 & 3),
            .is_signed = (word >> 5 & 1) != 0,
            .each_has_its_own = (word >> 6 & 1) != 0,
            .count = word >> 8};
  }
};

}  // namespace armature::wait
