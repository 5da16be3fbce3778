#pragma once

#include <string>

#include "space/control.hpp"

namespace armature::command {

/// The text with the line of the program in place of each "{at RANK:ADDRESS,ADDRESS,...}", which
/// are return addresses in the process of that rank, innermost first (races/sites.hpp).
[[nodiscard]] std::string with_places(const std::string& text, const space::Control& control);

}  // namespace armature::command
