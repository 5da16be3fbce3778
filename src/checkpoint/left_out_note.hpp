#pragma once

#include <string>
#include <string_view>

#include "checkpoint/left_out.hpp"
#include "checkpoint/manifest.hpp"

namespace armature::checkpoints {

/// The names of the files begin so, and their texts.
inline constexpr std::string_view left_out_name = "left-out-", left_out_title = "ranges ";

/// Writes a file that tells how much memory of its ranks a process has left out; none where it has
/// left out none. Throws Error(corrupt).
void note_left_out(const std::string& folder, int process, const LeftOut& left_out);
/// Returns the sum of what all processes have told, and removes their files. Throws Error(corrupt).
Manifest::LeftOut take_left_out(const std::string& folder);

}  // namespace armature::checkpoints
