#pragma once

#include <string>

namespace armature::command {

/// Whether that program certainly has our library from its first moment: it names it itself, or has
/// it in it. Not scripts, what starts others, and what gets it by way of another library.
bool has_library(const std::string& program);

}  // namespace armature::command
