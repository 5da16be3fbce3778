#pragma once

#include <string>

namespace armature::command {

/// Throws Error(start) where that program is compiled with the address sanitizer, whose library
/// must come before libarmature-malloc.so, and which does not know the stacks of virtual ranks.
void refuse_address_sanitizer(const std::string& program);

}  // namespace armature::command
