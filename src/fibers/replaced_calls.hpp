#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace armature::fibers {

struct ReplacedCall {
  std::string_view name;
  std::uintptr_t by;
};
/// The functions that a rank's copy of the program calls instead of the C and C++ libraries' own
/// ones: those whose state would be the process's, or the original program's.
std::vector<ReplacedCall> replaced_calls();

}  // namespace armature::fibers
