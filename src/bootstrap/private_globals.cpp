#include "bootstrap/private_globals.hpp"

#include <algorithm>
#include <cstdlib>

#include "bootstrap/environment.hpp"

namespace armature::bootstrap {

std::optional<PrivateGlobals> PrivateGlobals::parse(std::string_view text) {
  if (text == "on" || text == "off") return PrivateGlobals{.are_on = text == "on"};
  PrivateGlobals named{.are_on = true};
  for (bool is_first = true; is_first || !text.empty(); is_first = false) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    // A checkpoint notes the list in a line of words.
    if (name.empty() || name.find_first_of(" \n/") != std::string_view::npos) return std::nullopt;
    if (is_first != (name == "program") || text.substr(comma) == ",") return std::nullopt;
    if (!is_first) named.libraries.emplace_back(name);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return named;
}

PrivateGlobals PrivateGlobals::of_environment() {
  const char* const text = std::getenv(private_globals_variable);
  return parse(text != nullptr ? text : "off").value_or(PrivateGlobals{});
}

}  // namespace armature::bootstrap
