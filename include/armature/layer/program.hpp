#pragma once

#include <cstdint>
#include <type_traits>

#include "armature/detail/export.hpp"

// A virtual rank may have a copy of the program for itself, with its own globals (armature run
// --virtual --private-globals=on). A layer that has been given the address of a function before
// there were ranks, such as main, calls the rank's own one.

namespace armature::layer {

/// Returns the address in the calling rank's copy of the program for one in the program itself.
/// Addresses elsewhere are returned as they are, and so are all where ranks share the program.
/// Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API std::uintptr_t own_address(std::uintptr_t of_program);

template <class Function>
requires std::is_function_v<Function>
[[nodiscard]] Function* own(Function* of_program) {
  return reinterpret_cast<Function*>(own_address(reinterpret_cast<std::uintptr_t>(of_program)));
}

/// Has exit() of libraries of which each rank has a copy call this first, before run(). It ends the
/// calling rank's main, and returns where the caller is in none. gfortran's `stop` calls exit().
ARMATURE_API void end_main_by(void (*end)(int status));

}  // namespace armature::layer
