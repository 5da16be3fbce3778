#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace armature::bootstrap {

/// Two digits per byte, for what takes text only.
std::string to_hexadecimal(std::span<const std::byte> bytes);
/// The bytes again; nothing when that is not an even number of such digits.
std::optional<std::vector<std::byte>> from_hexadecimal(std::string_view digits);

}  // namespace armature::bootstrap
