#pragma once

#include <cstddef>

#include "bench/programs.hpp"
#include "bench/row.hpp"

namespace armature::bench {

inline constexpr Program word_count_program{"word_count", "", "", ""};

/// Counts the words of a text of so many bytes by that example on two ranks; limit: `sort | uniq
/// -c`. Both with their start. Throws when they do not find the same words.
Row words_row(std::size_t bytes);

}  // namespace armature::bench
