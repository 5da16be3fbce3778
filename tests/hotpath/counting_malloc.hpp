#pragma once

#include <cstddef>

// Counts what a program allocates. Included by one source of it: this malloc takes the place of the
// C library's, and operator new comes here too.

namespace {
long allocations = 0;
}

extern "C" void* __libc_malloc(std::size_t bytes) noexcept;
extern "C" void* malloc(std::size_t bytes) noexcept {
  ++allocations;
  return __libc_malloc(bytes);
}
