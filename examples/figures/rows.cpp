#include "figures/rows.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace figures {
namespace {

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string all = "\"";
  for (const char each : text) {
    const auto code = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      all += std::string("\\") + each;
    } else if (code < 0x20) {
      all += std::string("\\u00") + digits[code >> 4] + digits[code & 15];
    } else {
      all += each;
    }
  }
  return all + '"';
}

// JSON has no word for what is no number.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string number_or_word(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? number(value) : quoted(text);
}

}  // namespace

std::string Rows::json() const {
  std::string all = "{\"rows\":[";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    all += i == 0 ? "\n" : ",\n";
    all += "{\"figure\":" + quoted(row.figure) + ",\"x\":" + number_or_word(row.x) +
           ",\"series\":" + quoted(row.series) + ",\"value\":" + number(row.value) +
           ",\"unit\":" + quoted(row.unit) + "}";
  }
  return all + "\n]}\n";
}

void Rows::write(const std::string& file) const {
  if (file.empty()) return;
  if (file == "-") {
    std::cout << json() << std::flush;
    return;
  }
  std::ofstream out(file);
  out << json() << std::flush;
  if (!out) throw std::runtime_error(file + ": cannot be written");
}

}  // namespace figures
