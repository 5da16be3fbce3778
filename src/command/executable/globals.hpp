#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace armature::command {

/// The variables of a program that its code may change and that all its functions share, by the
/// names that people gave them, in the order of their addresses. Not those of the C++ runtime and
/// of Armature, constants, thread_local and armature::rank_local ones. Empty for a program whose
/// table of symbols was stripped, or that is no ELF file of this machine.
std::vector<std::string> writable_globals(const std::string& program);

/// A sentence about them for who runs several virtual ranks in a process, which names so many of
/// them; empty without any.
std::string note_about_globals(const std::string& program, const std::vector<std::string>& globals,
                               std::size_t named_max);

}  // namespace armature::command
