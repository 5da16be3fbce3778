#pragma once

#include <string>
#include <vector>

namespace armature::checkpoints {

std::string folder_name(unsigned long number);
inline constexpr unsigned long folder_number_max = 999'999'999;
/// 0: no folder of a checkpoint is called so.
unsigned long folder_number(const std::string& name);

/// Lists what may be checkpoints in `directory`, whole or not, by the names of their files. A
/// folder that is called as they are and has other files is said once to be left alone. Throws
/// Error(corrupt).
std::vector<std::string> own_folders(const std::string& directory);
/// Whether that is one, or the begin of one, by what is in its files, too.
[[nodiscard]] bool holds_checkpoint(const std::string& folder) noexcept;

/// Removes that folder, if it is one, or empty.
void remove_own_folder(const std::string& folder) noexcept;

}  // namespace armature::checkpoints
