#pragma once

#include <memory>

#include <elfutils/libdwfl.h>

namespace armature::command {

/// The modules of a living process and their symbols; nullptr where it cannot be looked at.
using Session = std::unique_ptr<Dwfl, decltype(&dwfl_end)>;
[[nodiscard]] Session open_process(int pid);

}  // namespace armature::command
