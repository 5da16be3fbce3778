#pragma once

// Code addresses across processes that loaded the same modules at different places; the public half
// is include/armature/detail/method.hpp.

namespace armature::rmi {

/// Finds the program and the libraries it has loaded so far. Called once, before the first request;
/// libraries loaded later are found when they are first met.
void find_modules();

}  // namespace armature::rmi
