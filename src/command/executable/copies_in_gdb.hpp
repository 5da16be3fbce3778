#pragma once

#include <string>

#include "space/control_header.hpp"

namespace armature::command {

/// A line for gdb that has it read the names of each copy of the program that its process has, in
/// a job of virtual ranks; now, and of further ones whenever the process stops. $own("name") is a
/// global variable of the copy that the frame runs. Where there are no copies it does nothing.
std::string names_of_copies(const space::ControlHeader& job);

}  // namespace armature::command
