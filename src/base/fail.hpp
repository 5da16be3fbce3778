#pragma once

#include <string>

#include "armature/error.hpp"

namespace armature::base {

/// The calling rank, for messages; -1 outside a job.
int message_rank();
/// How to find out: this room knows nothing of ranks.
void set_message_rank(int (*calling_rank)());

/// Throws Error with "armature: rank 3: <what>".
[[noreturn]] void fail(Errc code, const std::string& what);

/// The text of an errno value.
std::string system_text(int error);

}  // namespace armature::base

/// Our own mistake: says where, and ends the process. On in release.
#define ARMATURE_ASSERT(condition) \
  (static_cast<bool>(condition)    \
       ? void(0)                   \
       : ::armature::base::assertion_failed(#condition, __FILE__, __LINE__))

namespace armature::base {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}
