// What the C library allocates and keeps for the process or a thread of it, while a rank runs, must
// not lie in the rank's band: that goes elsewhere, or back to what it was, and the C library would
// still use it. So the calls that do so take from the process's memory. Calls whose result is the
// caller's (strdup, getline) stay as they are.
#include <dlfcn.h>

#include <clocale>
#include <cstdlib>
#include <ctime>
#include <cwchar>
#include <type_traits>

#include "virtual/malloc/current.hpp"

using armature::fibers::ProcessHeap;

/// The C library's function of that name, with the process's memory. It is found before anything
/// else runs (-z initfirst): a search is a call that dlerror would speak of.
#define ARMATURE_KEPT(Result, name, parameters, arguments)                                  \
  namespace {                                                                               \
  constinit std::add_pointer_t<Result parameters> original_##name = nullptr;                \
  [[gnu::constructor]] void find_##name() {                                                 \
    original_##name = reinterpret_cast<decltype(original_##name)>(dlsym(RTLD_NEXT, #name)); \
  }                                                                                         \
  }                                                                                         \
  extern "C" [[gnu::visibility("default")]] Result name parameters noexcept {               \
    const ProcessHeap kept;                                                                 \
    return original_##name arguments;                                                       \
  }                                                                                         \
  static_assert(true)

using Function = void(void*);

// Its text lasts until the next error.
ARMATURE_KEPT(char*, dlerror, (), ());

// What they have read is kept for whoever asks next. The C++ library has names of its own for some.
ARMATURE_KEPT(char*, setlocale, (int category, const char* locale), (category, locale));
ARMATURE_KEPT(locale_t, newlocale, (int categories, const char* locale, locale_t base),
              (categories, locale, base));
ARMATURE_KEPT(locale_t, __newlocale, (int categories, const char* locale, locale_t base),
              (categories, locale, base));

// The text is putenv's caller's; the table is not.
ARMATURE_KEPT(int, setenv, (const char* name, const char* value, int replaces),
              (name, value, replaces));
ARMATURE_KEPT(int, putenv, (char* text), (text));

// All that look at the time zone: its name is copied each time where TZ is not set.
ARMATURE_KEPT(void, tzset, (), ());
ARMATURE_KEPT(tm*, localtime, (const time_t* at), (at));
ARMATURE_KEPT(tm*, localtime_r, (const time_t* at, tm* to), (at, to));
ARMATURE_KEPT(char*, ctime, (const time_t* at), (at));
ARMATURE_KEPT(char*, ctime_r, (const time_t* at, char* to), (at, to));
ARMATURE_KEPT(time_t, mktime, (tm * at), (at));
ARMATURE_KEPT(time_t, timelocal, (tm * at), (at));
ARMATURE_KEPT(std::size_t, strftime, (char* to, std::size_t max, const char* how, const tm* at),
              (to, max, how, at));
ARMATURE_KEPT(std::size_t, strftime_l,
              (char* to, std::size_t max, const char* how, const tm* at, locale_t by),
              (to, max, how, at, by));
ARMATURE_KEPT(std::size_t, __strftime_l,
              (char* to, std::size_t max, const char* how, const tm* at, locale_t by),
              (to, max, how, at, by));
ARMATURE_KEPT(std::size_t, wcsftime,
              (wchar_t * to, std::size_t max, const wchar_t* how, const tm* at),
              (to, max, how, at));
ARMATURE_KEPT(std::size_t, wcsftime_l,
              (wchar_t * to, std::size_t max, const wchar_t* how, const tm* at, locale_t by),
              (to, max, how, at, by));
ARMATURE_KEPT(std::size_t, __wcsftime_l,
              (wchar_t * to, std::size_t max, const wchar_t* how, const tm* at, locale_t by),
              (to, max, how, at, by));

// What atexit and the destructors of statics come to, and those of thread_locals.
ARMATURE_KEPT(int, __cxa_atexit, (Function * function, void* argument, void* library),
              (function, argument, library));
ARMATURE_KEPT(int, __cxa_thread_atexit_impl, (Function * function, void* argument, void* library),
              (function, argument, library));
