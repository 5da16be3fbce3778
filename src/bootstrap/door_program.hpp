#pragma once

#include <string>

namespace armature::bootstrap {

/// Whether that file is a program of a C or Fortran interface whose main is each rank's
/// (compat/main): such programs keep state in globals. False for one that has the interface's
/// library in it.
[[nodiscard]] bool is_door_program(const std::string& path);

/// Virtual ranks of such a program have globals of their own, unless the environment says
/// something: sets ARMATURE_PRIVATE_GLOBALS where that can be.
void make_globals_private_by_default(const std::string& program);

/// Whether it is one whose ranks need their own variables, which only virtual ranks of a process
/// have: OpenSHMEM's.
[[nodiscard]] bool has_symmetric_variables(const std::string& path);

}  // namespace armature::bootstrap
