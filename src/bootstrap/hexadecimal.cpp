#include "bootstrap/hexadecimal.hpp"

namespace armature::bootstrap {
namespace {

constexpr std::string_view alphabet = "0123456789abcdef";

}  // namespace

std::string to_hexadecimal(std::span<const std::byte> bytes) {
  std::string digits;
  digits.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    digits += alphabet[std::to_integer<std::size_t>(byte >> 4)];
    digits += alphabet[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return digits;
}

std::optional<std::vector<std::byte>> from_hexadecimal(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto high = alphabet.find(digits[i]);
    const auto low = alphabet.find(digits[i + 1]);
    if (high == alphabet.npos || low == alphabet.npos) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return bytes;
}

}  // namespace armature::bootstrap
