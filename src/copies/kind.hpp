#pragma once

#include <cstddef>
#include <cstdint>

#include "space/copy_choices.hpp"

// Ways are chosen by the kind of copy. The best one depends on which cache holds the bytes, and on
// whether source and target lie alike in their cache lines. `rep movsb`, and memcpy where it uses
// that, can be very slow where they do not.

namespace armature::copies {

/// Sizes by length: about what the first cache holds, the second, the third, and none.
enum class Size : std::uint8_t { page, pages, cached, past_cache };

inline constexpr std::size_t page_max = std::size_t{16} << 10;
inline constexpr std::size_t pages_max = std::size_t{256} << 10;
inline constexpr std::size_t always_cached_max = std::size_t{1} << 20;
inline constexpr std::size_t line_bytes = 64;

struct Kind {
  Size size = Size::page;
  bool is_skewed = false;

  [[nodiscard]] std::size_t number() const {
    return 2 * static_cast<std::size_t>(size) + (is_skewed ? 1 : 0);
  }
  static Kind of_number(std::size_t number) {
    return {static_cast<Size>(number / 2), number % 2 != 0};
  }
};
static_assert(2 * (static_cast<std::size_t>(Size::past_cache) + 1) == space::CopyChoices::kinds);

[[gnu::always_inline]] inline bool are_skewed(const void* to, const void* from) {
  return (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) %
             line_bytes !=
         0;
}

}  // namespace armature::copies
