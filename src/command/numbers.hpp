#pragma once

#include <cstdint>
#include <string>

// Numbers on the command line, and names. Each throws CLI::ValidationError that says what was given
// and what is possible.

namespace armature::command {

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t min,
                          std::uint64_t max);

/// "64G", "256 MiB", "65536": powers of 1024. So few that they can be rounded up.
std::uint64_t parse_bytes(const std::string& option, const std::string& text);

/// Hexadecimal, with or without 0x and with ' or _ between digits.
std::uint64_t parse_address(const std::string& option, const std::string& text);

/// "20", "0.5", "2m", "1h".
double parse_seconds(const std::string& option, const std::string& text);

/// Reads the name of a file or folder: anything but nothing.
std::string parse_name(const std::string& option, const std::string& text);

}  // namespace armature::command
