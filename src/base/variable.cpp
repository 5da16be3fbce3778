#include "base/variable.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::base {

std::optional<std::uint64_t> number_variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::string_view digits = text;
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size())
    fail(Errc::start, fmt::format("{}='{}' is not a whole number", name, text));
  return value;
}

bool is_off(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr && std::string_view(text) == "off";
}

std::optional<double> parse_seconds(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit == "m" || unit == "min") {
    value *= 60;
  } else if (unit == "h") {
    value *= 3600;
  } else if (!unit.empty() && unit != "s") {
    return std::nullopt;
  }
  constexpr double longest_s = 1e9;
  return value >= 0 && value <= longest_s ? std::optional(value) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> duration_variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::optional<double> seconds = parse_seconds(text);
  if (!seconds)
    fail(Errc::start,
         fmt::format("{}='{}' is not a time in seconds, as in 20, 0.5, 10m, 2h", name, text));
  return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(*seconds));
}

}  // namespace armature::base
