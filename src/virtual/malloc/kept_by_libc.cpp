// What the C library allocates and keeps for the process or a thread of it, while a rank runs, must
// not lie in the rank's band: that goes elsewhere, or back to what it was, and the C library would
// still use it. So the calls that do so take from the process's memory. Calls whose result is the
// caller's (strdup, getline, fopen) stay as they are.
#include <dlfcn.h>

#include <cstdlib>

#include "virtual/malloc/current.hpp"

namespace {

using armature::fibers::ProcessHeap;

template <class Function>
Function* of_libc(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define ARMATURE_EXPORT extern "C" [[gnu::visibility("default")]]

/// Its text lasts until the next error.
ARMATURE_EXPORT char* dlerror() noexcept {
  const ProcessHeap kept;
  static auto* const original = of_libc<char*()>("dlerror");
  return original();
}

ARMATURE_EXPORT char* setlocale(int category, const char* locale) noexcept {
  const ProcessHeap kept;
  static auto* const original = of_libc<char*(int, const char*)>("setlocale");
  return original(category, locale);
}

ARMATURE_EXPORT int setenv(const char* name, const char* value, int replaces) noexcept {
  const ProcessHeap kept;
  static auto* const original = of_libc<int(const char*, const char*, int)>("setenv");
  return original(name, value, replaces);
}

/// The text is the caller's; the table is not.
ARMATURE_EXPORT int putenv(char* text) noexcept {
  const ProcessHeap kept;
  static auto* const original = of_libc<int(char*)>("putenv");
  return original(text);
}

/// What atexit and the destructors of statics come to.
ARMATURE_EXPORT int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept {
  const ProcessHeap kept;
  static auto* const original = of_libc<int(void (*)(void*), void*, void*)>("__cxa_atexit");
  return original(function, argument, library);
}

/// And those of thread_locals.
ARMATURE_EXPORT int __cxa_thread_atexit_impl(void (*function)(void*), void* argument,
                                             void* library) noexcept {
  const ProcessHeap kept;
  static auto* const original =
      of_libc<int(void (*)(void*), void*, void*)>("__cxa_thread_atexit_impl");
  return original(function, argument, library);
}
