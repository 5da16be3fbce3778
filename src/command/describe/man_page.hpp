#pragma once

#include <string>

#include "command/describe/description.hpp"

namespace armature::command {

/// The manual page of `armature` itself: its commands, and where to read on.
std::string man_page_of_all(const DescribedCommand& armature);

/// The manual page of one command, with sections for the commands below it. `armature` is for the
/// list of related pages.
std::string man_page(const DescribedCommand& command, const DescribedCommand& armature);

/// The name of a command's page: "armature-run".
std::string man_page_name(const DescribedCommand& command);

}  // namespace armature::command
