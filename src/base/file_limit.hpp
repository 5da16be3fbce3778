#pragma once

#include <cstdint>
#include <string>

namespace armature::base {

/// Lets this process have so many files open, which `who` ("a job of 8 ranks") needs. Throws
/// Error(start) with the remedy when the hard limit is lower.
void raise_file_limit(std::uint64_t files, const std::string& who);

}  // namespace armature::base
