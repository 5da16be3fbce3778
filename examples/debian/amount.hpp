// Amounts as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace debian {

// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number);

// "999 B", "12.3 KiB", "1.40 MiB".
std::string readable_bytes(std::uint64_t bytes);

}  // namespace debian
