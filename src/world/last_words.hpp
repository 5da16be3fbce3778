#pragma once

#include "space/control.hpp"

namespace armature::detail {

/// From now on, a signal that kills this process, or an exception that nobody catches, is told to
/// the launcher before the process dies: what it was, and the return addresses on the stack.
/// Handlers that the program has installed itself are left alone. `has_launcher` false: the process
/// says it itself on stderr.
void install_last_words(space::RankSlot& slot, int rank, bool has_launcher);

/// Says `text` as the reason for the end of the job and leaves with `status`.
[[noreturn]] void die(int status, const char* text);

}  // namespace armature::detail
