#pragma once

#include <cstddef>

// valgrind runs a program on a processor of its own. A client request is an instruction sequence
// that a real processor takes for nothing, and valgrind for a call. Its valgrind.h describes them;
// the requests used here are made without that header. On other processors than x86-64 none is
// made.

namespace armature::base {

/// Whether this process runs on valgrind, with whatever tool. Set when the library is loaded.
extern bool on_valgrind;

namespace detail {
void mark_defined(const void* address, std::size_t bytes);
}

/// Tells memcheck that these bytes have values. It sees what this process has written, never what
/// other processes have: bytes that were written here without a value, as padding is, would count
/// as such ever after. Costs a look at a flag without valgrind.
inline void mark_defined(const void* address, std::size_t bytes) {
  if (on_valgrind) [[unlikely]]
    detail::mark_defined(address, bytes);
}

/// Tells valgrind of a stack, so that a switch to it is none of the running one's growth.
void register_stack(const void* lowest, const void* end);

}  // namespace armature::base
