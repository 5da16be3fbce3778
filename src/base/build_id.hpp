#pragma once

#include <link.h>

#include <string_view>

namespace armature::base {

/// The number that the linker has given to a program or library that is loaded, as its bytes; empty
/// where it gave none.
std::string_view build_id(const dl_phdr_info& module);

}  // namespace armature::base
