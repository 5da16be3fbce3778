#pragma once

#include <cstddef>
#include <string>

#include "armature/array/plan.hpp"
#include "armature/error.hpp"

namespace armature::detail {

/// The use of an array that is allowed at present: see phase.hpp.
enum class ArrayPhase : unsigned char { none, read_only, write_once, accumulate };

/// The use that a call makes of an array.
enum class ArrayUse : unsigned char { get, put, accumulate, local_access };

/// Returns the element as "(3, 4)".
[[nodiscard]] ARMATURE_API std::string element_text(const std::ptrdiff_t* indices, int dimensions);
/// Returns the section as "[0:10, 3, 4:9:2]".
[[nodiscard]] ARMATURE_API std::string section_text(const ArraySection& section);
/// Throws Error(misuse): an array in that phase is not used so. `place` is one of the above.
[[noreturn]] ARMATURE_API void fail_use(const std::string& array, ArrayPhase phase, ArrayUse use,
                                        const std::string& place);
/// Returns all elements of a block, beside memory of the same form.
[[nodiscard]] ARMATURE_API ArrayBox whole_block(const ArrayBlock& block);

}  // namespace armature::detail
