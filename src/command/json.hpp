#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace armature::command {

/// Names of programs and files are any bytes, and JSON is UTF-8: what is none stands as U+FFFD.
inline std::string text_of(const nlohmann::json& value) {
  return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The text of `text_of` on one line.
inline std::string line_of(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace armature::command
