#pragma once

#include <string>

#include "command/explain/explain.hpp"

namespace armature::command {

/// Fills in where in the program each rank makes the call that it is in, or runs, as "halo.cpp:42".
/// Each thread is stopped for the moment in which its stack is read (ptrace), so nothing is said
/// of ranks that a debugger or a signal holds, nor where the system does not allow it; nor of
/// virtual ranks that have no turn, whose stacks no thread is on. So many ranks, and so long, as a
/// reader has patience for.
void add_call_places(Explanation& explanation, const Snapshot& snapshot);

/// The innermost place of the program's own code on that thread's stack; empty where there is none.
[[nodiscard]] std::string call_place(int pid, int tid);

}  // namespace armature::command
