#pragma once

#include <cstdint>
#include <optional>

namespace armature::base {

/// An environment variable that is a whole number, decimal or with 0x; nothing when it is not set.
/// Throws Error(start) naming it when it is something else.
std::optional<std::uint64_t> number_variable(const char* name);

}  // namespace armature::base
