#pragma once

#include <array>
#include <cstddef>
#include <cstring>
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
  // A function that describes itself travels otherwise, and may have pointers.
  if constexpr (!std::is_empty_v<F> && sizeof(F) >= sizeof(void*) &&
                std::is_trivially_copyable_v<F>) {
    alignas(F) std::array<std::byte, sizeof(F)> bytes;
    std::memcpy(bytes.data(), &f, sizeof f);
#if __has_builtin(__builtin_clear_padding)
    // Padding has what lay on the stack before, pointers for instance.
    __builtin_clear_padding(reinterpret_cast<F*>(bytes.data()));
#endif
    check_captures(bytes.data(), bytes.size(), call, __PRETTY_FUNCTION__);
  }
}

}  // namespace armature::detail
