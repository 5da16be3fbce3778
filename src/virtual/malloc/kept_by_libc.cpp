// What the C library allocates and keeps for the process or a thread of it, while a rank runs, must
// not lie in the rank's band: that goes elsewhere, or back to what it was, and the C library would
// still use it. So the calls that do so take from the process's memory. Calls whose result is the
// caller's (strdup, getline) stay as they are.
#include <dlfcn.h>

#include <clocale>
#include <cstdlib>

#include "virtual/malloc/current.hpp"

namespace {

using armature::fibers::ProcessHeap;

using OnExit = int(void (*)(void*), void*, void*);

/// Found before anything else runs (-z initfirst): a search is a call that dlerror would speak of.
struct Originals {
  char* (*dlerror)();
  char* (*setlocale)(int, const char*);
  locale_t (*newlocale)(int, const char*, locale_t);
  int (*setenv)(const char*, const char*, int);
  int (*putenv)(char*);
  OnExit* at_exit;
  OnExit* at_exit_of_thread;
};
constinit Originals originals{};

template <class Function>
void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

[[gnu::constructor]] void find_originals() {
  find(originals.dlerror, "dlerror");
  find(originals.setlocale, "setlocale");
  find(originals.newlocale, "newlocale");
  find(originals.setenv, "setenv");
  find(originals.putenv, "putenv");
  find(originals.at_exit, "__cxa_atexit");
  find(originals.at_exit_of_thread, "__cxa_thread_atexit_impl");
}

}  // namespace

#define ARMATURE_EXPORT extern "C" [[gnu::visibility("default")]]

/// Its text lasts until the next error.
ARMATURE_EXPORT char* dlerror() noexcept {
  const ProcessHeap kept;
  return originals.dlerror();
}

ARMATURE_EXPORT char* setlocale(int category, const char* locale) noexcept {
  const ProcessHeap kept;
  return originals.setlocale(category, locale);
}

/// What it has read is kept for whoever asks next.
ARMATURE_EXPORT locale_t newlocale(int categories, const char* locale, locale_t base) noexcept {
  const ProcessHeap kept;
  return originals.newlocale(categories, locale, base);
}

ARMATURE_EXPORT int setenv(const char* name, const char* value, int replaces) noexcept {
  const ProcessHeap kept;
  return originals.setenv(name, value, replaces);
}

/// The text is the caller's; the table is not.
ARMATURE_EXPORT int putenv(char* text) noexcept {
  const ProcessHeap kept;
  return originals.putenv(text);
}

/// What atexit and the destructors of statics come to.
ARMATURE_EXPORT int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept {
  const ProcessHeap kept;
  return originals.at_exit(function, argument, library);
}

/// And those of thread_locals.
ARMATURE_EXPORT int __cxa_thread_atexit_impl(void (*function)(void*), void* argument,
                                             void* library) noexcept {
  const ProcessHeap kept;
  return originals.at_exit_of_thread(function, argument, library);
}
