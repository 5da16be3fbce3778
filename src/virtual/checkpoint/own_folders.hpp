#pragma once

#include <string>
#include <vector>

namespace armature::checkpoints {

std::string folder_name(unsigned long number);
/// 0: no folder of a checkpoint is called so.
unsigned long folder_number(const std::string& name);

/// What checkpoints, whole or not, are called in `directory`. What is called so and is none is said
/// once to be left alone. Throws Error(corrupt).
std::vector<std::string> own_folders(const std::string& directory);

/// That folder, if it is one.
void remove_own_folder(const std::string& folder) noexcept;

}  // namespace armature::checkpoints
