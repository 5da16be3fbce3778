#pragma once

#include <cstddef>
#include <type_traits>

#include "armature/detail/export.hpp"

// A function object travels as its bytes. Where one has captured a pointer or `this`, these name
// memory of the rank that calls. Debug builds, and jobs that check everything (armature run
// --check), look for that in each word of it. An address in a segment means the same on all ranks.

namespace armature::detail {

/// Whether this job looks. Throws Error(misuse) outside a job.
[[nodiscard]] ARMATURE_API bool checks_captures();
/// Throws Error(bad_argument) that names the call and what the function is, if one of its words is
/// an address of the rank's stack or of other memory of its process alone.
ARMATURE_API void check_captures(const void* function, std::size_t bytes, const char* call,
                                 const char* spelling);

template <class F>
void require_no_private_capture(const F& f, const char* call) {
  if constexpr (!std::is_empty_v<F> && sizeof(F) >= sizeof(void*))
    check_captures(&f, sizeof f, call, __PRETTY_FUNCTION__);
}

}  // namespace armature::detail
