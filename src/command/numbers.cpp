#include "command/numbers.hpp"

#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/variable.hpp"
#include "space/layout.hpp"

namespace armature::command {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         const std::string& possible) {
  throw CLI::ValidationError(option, fmt::format("'{}' is not possible here: {}", text, possible));
}

/// Parses the number in front of `text` and takes it off; false where there is none.
template <class Number, class... Base>
bool take_number(std::string_view& text, Number& value, Base... base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t min,
                          std::uint64_t max) {
  std::string_view rest = text;
  std::uint64_t value = 0;
  if (!take_number(rest, value) || !rest.empty() || value < min || value > max)
    refuse(option, text, fmt::format("a whole number from {} to {}", min, max));
  return value;
}

std::uint64_t parse_bytes(const std::string& option, const std::string& text) {
  std::string_view rest = text;
  std::uint64_t value = 0;
  bool good = take_number(rest, value);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  unsigned shift = 0;
  if (!rest.empty()) {
    const auto unit = std::string_view("KMGT").find(
        static_cast<char>(std::toupper(static_cast<unsigned char>(rest.front()))));
    rest.remove_prefix(1);
    if (rest == "B" || rest == "iB" || rest == "b") rest = {};
    good = good && unit != std::string_view::npos && rest.empty();
    shift = unit == std::string_view::npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  }
  constexpr std::uint64_t bytes_max = std::uint64_t{1} << 62;
  if (!good || value == 0 || value > bytes_max >> shift)
    refuse(option, text, "a number of bytes up to 4194304T, as in 64G, 512M, 1048576");
  return value << shift;
}

std::uint64_t parse_address(const std::string& option, const std::string& text) {
  std::string digits;
  for (char c : text)
    if (c != '\'' && c != '_') digits += c;
  std::string_view rest = digits;
  if (rest.starts_with("0x") || rest.starts_with("0X")) rest.remove_prefix(2);
  std::uint64_t value = 0;
  if (!take_number(rest, value, 16) || !rest.empty() || value == 0)
    refuse(option, text,
           fmt::format("an address in hexadecimal, as in {:#x}", space::default_base));
  return value;
}

double parse_seconds(const std::string& option, const std::string& text) {
  const std::optional<double> seconds = base::parse_seconds(text);
  if (!seconds) refuse(option, text, "a time in seconds, as in 20, 0.5, 10m, 2h");
  return *seconds;
}

std::string parse_name(const std::string& option, const std::string& text) {
  if (text.empty()) refuse(option, text, "a name");
  return text;
}

}  // namespace armature::command
