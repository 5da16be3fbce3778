#pragma once

// Code addresses across processes that loaded the same modules at different places; the public half
// is include/armature/detail/method.hpp.

namespace armature::rmi {

/// Finds the program and the libraries it has loaded so far. Called once, before the first request;
/// libraries loaded later are found when they are first met.
void find_modules();

/// Each rank has a copy of the program from now on (image/copies.hpp). What lies in a copy has the
/// name of what lies in the program, and a name is looked up in the copy of the rank that asks.
/// Before the copies are made.
void name_code_of_copies();

}  // namespace armature::rmi
