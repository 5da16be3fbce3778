#pragma once

#include <string>

#include "command/describe/description.hpp"

namespace armature::command {

/// The completion of `armature` for bash. It needs bash alone, and not the functions of
/// bash-completion.
std::string bash_completion(const DescribedCommand& armature);

/// The completion of `armature` for zsh: the file `_armature` of a folder in its `fpath`.
std::string zsh_completion(const DescribedCommand& armature);

/// Kinds of words that a shell offers for a value.
enum class Offer { nothing, choices, files, folders, commands, program };

/// The kind that fits, by the name that stands for a value in the help.
Offer offer_for(const DescribedOption& option);

}  // namespace armature::command
