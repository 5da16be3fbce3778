#include "topology/switches.hpp"

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::topology {
namespace {

using Names = std::vector<std::string>;

/// Splits at commas that stand in no brackets.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') ++depth;
    if (i < list.size() && list[i] == ']') --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    parts.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

std::optional<unsigned> number_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Adds "a0", "a1" for "a" and "0-1". Numbers keep their leading zeros. False where it is no range.
bool add_range(const std::string& before, std::string_view range, std::string_view behind,
               Names& names) {
  constexpr unsigned names_max = 1 << 20;
  const auto dash = range.find('-');
  const std::string_view from = range.substr(0, dash);
  const auto first = number_in(from);
  const auto last = dash == std::string_view::npos ? first : number_in(range.substr(dash + 1));
  if (!first || !last || *last < *first || *last - *first >= names_max) return false;
  for (unsigned i = 0; i <= *last - *first; ++i)
    names.push_back(fmt::format("{}{:0{}}{}", before, *first + i, from.size(), behind));
  return true;
}

/// The names of a list such as "a,b[0-3,7]"; nullopt where it is none.
std::optional<Names> names_of(std::string_view list) {
  Names names;
  for (const std::string_view part : parts_of(list)) {
    const auto open = part.find('['), close = part.find(']');
    if (part.empty() || (open == std::string_view::npos) != (close == std::string_view::npos) ||
        (open != std::string_view::npos && close < open))
      return std::nullopt;
    if (open == std::string_view::npos) {
      names.emplace_back(part);
      continue;
    }
    const std::string before(part.substr(0, open));
    for (const std::string_view range : parts_of(part.substr(open + 1, close - open - 1)))
      if (!add_range(before, range, part.substr(close + 1), names)) return std::nullopt;
  }
  return names;
}

}  // namespace

std::map<std::string, int> read_switches(const std::string& path) {
  std::ifstream file(path);
  if (!file) base::fail(Errc::start, fmt::format("{} cannot be read", path));
  std::map<std::string, int> switch_of;
  int switches = 0, number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const auto fail = [&](const std::string& why) {
      base::fail(Errc::start, fmt::format("{}, line {}: {}", path, number, why));
    };
    std::istringstream words(line.substr(0, line.find('#')));
    bool is_switch = false, has_nodes = false;
    for (std::string word; words >> word;) {
      const std::string_view value = std::string_view(word).substr(word.find('=') + 1);
      if (word.find('=') == std::string::npos) fail(fmt::format("'{}' is not NAME=VALUE", word));
      is_switch = is_switch || word.starts_with("SwitchName=");
      if (!word.starts_with("Nodes=")) continue;
      const auto names = names_of(value);
      if (!names) fail(fmt::format("'{}' is not a list of names: a,b[0-3,7]", value));
      for (const std::string& name : *names)
        if (!switch_of.try_emplace(name, switches).second)
          fail(fmt::format("node {} is at two switches", name));
      has_nodes = true;
    }
    if (has_nodes && !is_switch) fail("nodes without a switch: SwitchName=NAME Nodes=LIST");
    switches += has_nodes ? 1 : 0;
  }
  if (file.bad()) base::fail(Errc::start, fmt::format("{} cannot be read", path));
  return switch_of;
}

}  // namespace armature::topology
