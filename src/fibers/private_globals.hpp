#pragma once

#include "space/mapping.hpp"

namespace armature::fibers {

struct RankFiber;

/// Gives every rank a copy of the program in its segment, at the segment's end, where the user
/// wants that. Before the process has any rank. Throws Error(start) where the program cannot be
/// copied.
void make_globals_private(const space::Mapping& mapping);
/// How much of a segment's end that takes.
[[nodiscard]] std::size_t private_globals_bytes();

/// Makes the rank's copy.
void make_copy(RankFiber& fiber);
/// Maps the code of the rank's copy in this process.
void map_code(const RankFiber& fiber);
// As the rank, before what was the program's main and after it:
void begin_copy(const RankFiber& fiber, int argc, char** argv);
void end_copy(RankFiber& fiber);

/// A function of the rank's copy that is to run at its end.
struct AtExit {
  AtExit* next;
  void (*function)(void* argument);
  void* argument;
};

}  // namespace armature::fibers
