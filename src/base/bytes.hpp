#pragma once

#include <cstdint>
#include <string>

namespace armature::base {

/// "4.0 GiB", "512 B": for messages.
std::string readable_bytes(std::uint64_t bytes);

}  // namespace armature::base
