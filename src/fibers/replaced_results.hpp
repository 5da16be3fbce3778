#pragma once

#include "image/plan.hpp"

namespace armature::fibers {

/// Has ranks' copies of the program call functions of the C library that return pointers to memory
/// of the rank, where the library's own are to memory of the process: times as text and by parts,
/// names of users, groups and hosts, texts of errors and signals, numbers as text. So is the hash
/// table of hsearch, and the state behind seed48.
void replace_results(image::Plan& plan);

}  // namespace armature::fibers
