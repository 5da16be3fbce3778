#pragma once

#include "armature/detail/language.hpp"

// Everything is hidden unless it says ARMATURE_API: the list of exported symbols is part of the
// contract.
#define ARMATURE_API __attribute__((visibility("default")))
