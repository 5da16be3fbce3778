#pragma once

#include <span>
#include <string>
#include <string_view>

namespace armature::base {

/// Joins the words, one after the other, with that between any two. (fmt::join is what GCC 12 warns
/// of at -O3.)
inline std::string joined(std::span<const std::string> words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (&word != &words.front()) text += between;
    text += word;
  }
  return text;
}

}  // namespace armature::base
