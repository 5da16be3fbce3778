#pragma once

#include "armature/detail/export.hpp"

namespace armature {

/// Stands for so many seconds of computing: in a program whose time is to be predicted before the
/// computing is written, or without it. In a simulation that has costs (`armature run --simulate
/// SEED --network ...`) the rank's clock moves by that much, at once. Anywhere else the calling
/// thread sleeps for it, and so do virtual ranks of the same thread, as they would not run while
/// one computes. Throws Error(bad_argument) where `seconds` is negative, above 1e9, or no number.
ARMATURE_API void compute(double seconds);

}  // namespace armature
