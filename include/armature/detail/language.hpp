#pragma once

// Every line of every header is an error in an older language. The file that is not there ends the
// compilation at the one sentence that helps.
#if __cplusplus <= 201703L
#error "Armature is a library for C++20: compile with -std=c++20 or newer"
#include "armature/only_in_cpp20.hpp"
#endif
