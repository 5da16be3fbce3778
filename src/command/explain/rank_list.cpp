#include "command/explain/rank_list.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace armature::command {

std::string rank_list(const std::vector<int>& ranks) {
  constexpr std::size_t parts_max = 40;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    if (const std::size_t left = ranks.size() - i; parts.size() >= parts_max && left > 1) {
      parts.push_back(fmt::format("{} others", left));
      break;
    }
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i > 2) {
      parts.push_back(fmt::format("{}-{}", ranks[i], ranks[end - 1]));
      i = end;
    } else {
      parts.push_back(std::to_string(ranks[i++]));
    }
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace armature::command
