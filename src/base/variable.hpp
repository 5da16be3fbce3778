#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace armature::base {

/// An environment variable that is a whole number, decimal or with 0x; nothing when it is not set.
/// Throws Error(start) naming it when it is something else.
std::optional<std::uint64_t> number_variable(const char* name);

/// Whether an environment variable says "off".
[[nodiscard]] bool is_off(const char* name);

/// Seconds, as people write them: 20, 0.5s, 10m (10min), 2h. Nothing where it is something else or
/// above 1e9 s.
std::optional<double> parse_seconds(std::string_view text);
/// An environment variable that is such a time; nothing when it is not set. Throws Error(start)
/// naming it when it is something else.
std::optional<std::chrono::nanoseconds> duration_variable(const char* name);

}  // namespace armature::base
