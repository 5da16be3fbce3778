#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace armature::base {

/// Copies as much of a text as there is room for, and a zero behind it.
template <std::size_t size>
void copy_text(char (&to)[size], std::string_view text) {
  const std::size_t bytes = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), bytes);
  to[bytes] = '\0';
}

/// Cuts off the beginning that fail() gives its messages, for a message that has it already.
inline std::string_view without_start(std::string_view message) {
  constexpr std::string_view start = "armature: ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

}  // namespace armature::base
