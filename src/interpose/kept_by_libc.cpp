// The C library allocates some memory that it keeps for the process or a thread of it. While a rank
// runs, that must not lie in the rank's segment: the segment goes elsewhere, or back to what it
// was, and the C library would still use it. So the calls that do so take from the process's
// memory. Calls whose result is the caller's (strdup, getline) stay as they are.
#include <iconv.h>
#include <langinfo.h>

#include <clocale>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <iterator>

#include "interpose/current.hpp"
#include "interpose/kept.hpp"

using armature::interpose::ProcessHeap;

/// The name by which the C++ library calls the same.
#define ARMATURE_ALSO_WITH_UNDERSCORES(name) \
  ARMATURE_EXPORT ARMATURE_ALIAS(name) decltype(name) __##name

using Function = void(void*);
using OnExit = void(int, void*);

// The text lasts until the next error.
ARMATURE_KEPT(char*, dlerror, (), ());

ARMATURE_ORIGINAL(char*, setlocale, (int category, const char* locale));
ARMATURE_ORIGINAL(locale_t, newlocale, (int categories, const char* locale, locale_t base));

ARMATURE_KEPT(char*, strerror_l, (int number, locale_t by), (number, by));

namespace {

/// A text that is translated is kept when it is first asked for. printf asks for those of errors
/// (%m), whoever calls it. The locale is the thread's.
void load_error_texts(locale_t locale) {
  constexpr int errors = 134;
  const char* const name = nl_langinfo(_NL_LOCALE_NAME(LC_MESSAGES));
  if (name == nullptr || std::strcmp(name, "C") == 0 || std::strcmp(name, "POSIX") == 0) return;
  for (int number = 0; number < errors; ++number) (void)original_strerror_l(number, locale);
}

/// The C library looks up how a locale's characters become wide ones and back when that is first
/// asked for. It keeps it with the rest that is known of the locale.
locale_t with_conversions(locale_t locale) {
  if (locale == nullptr) return locale;
  const locale_t before = uselocale(locale);
  std::mbstate_t state{};
  (void)std::mbrtowc(nullptr, "a", 1, &state);
  load_error_texts(locale);
  uselocale(before);
  return locale;
}

}  // namespace

// Locales that have been read are kept for whoever asks next.
ARMATURE_EXPORT char* setlocale(int category, const char* locale) noexcept {
  const ProcessHeap kept;
  char* const found = original_setlocale(category, locale);
  if (found != nullptr && locale != nullptr) (void)with_conversions(LC_GLOBAL_LOCALE);
  return found;
}

ARMATURE_EXPORT locale_t newlocale(int categories, const char* locale, locale_t base) noexcept {
  const ProcessHeap kept;
  return with_conversions(original_newlocale(categories, locale, base));
}

ARMATURE_ALSO_WITH_UNDERSCORES(newlocale);

// Keeps what is known of conversions. The result has pointers to that: it is the process's, too. A
// thread may be cancelled in them, so the C library declares them without noexcept.
ARMATURE_KEPT_AS(iconv_t, iconv_open, (const char* to, const char* from), , (to, from));
ARMATURE_KEPT_AS(int, iconv_close, (iconv_t conversion), , (conversion));

// The text of a number that has none is made, and lasts until the next one.
ARMATURE_KEPT(char*, strerror, (int number), (number));
ARMATURE_KEPT(char*, strsignal, (int number), (number));

// The text is putenv's caller's; the table is not.
ARMATURE_KEPT(int, setenv, (const char* name, const char* value, int replaces),
              (name, value, replaces));
ARMATURE_KEPT(int, putenv, (char* text), (text));

// All that look at the time zone: its name is copied each time where TZ is not set.
ARMATURE_KEPT(void, tzset, (), ());
ARMATURE_KEPT(tm*, localtime, (const time_t* at), (at));
ARMATURE_KEPT(tm*, localtime_r, (const time_t* at, tm* to), (at, to));
ARMATURE_KEPT(tm*, gmtime, (const time_t* at), (at));
ARMATURE_KEPT(tm*, gmtime_r, (const time_t* at, tm* to), (at, to));
ARMATURE_KEPT(char*, ctime, (const time_t* at), (at));
ARMATURE_KEPT(char*, ctime_r, (const time_t* at, char* to), (at, to));
ARMATURE_KEPT(time_t, mktime, (tm * at), (at));
ARMATURE_KEPT(time_t, timelocal, (tm * at), (at));
ARMATURE_KEPT(time_t, timegm, (tm * at), (at));
ARMATURE_KEPT(std::size_t, strftime, (char* to, std::size_t max, const char* how, const tm* at),
              (to, max, how, at));
ARMATURE_KEPT(std::size_t, strftime_l,
              (char* to, std::size_t max, const char* how, const tm* at, locale_t by),
              (to, max, how, at, by));
ARMATURE_ALSO_WITH_UNDERSCORES(strftime_l);
ARMATURE_KEPT(std::size_t, wcsftime,
              (wchar_t * to, std::size_t max, const wchar_t* how, const tm* at),
              (to, max, how, at));
ARMATURE_KEPT(std::size_t, wcsftime_l,
              (wchar_t * to, std::size_t max, const wchar_t* how, const tm* at, locale_t by),
              (to, max, how, at, by));
ARMATURE_ALSO_WITH_UNDERSCORES(wcsftime_l);

// The lists of at_quick_exit, on_exit and the destructors of thread_locals. atexit and the
// destructors of statics come to __cxa_atexit, below.
ARMATURE_KEPT(int, __cxa_at_quick_exit, (Function * function, void* library), (function, library));
ARMATURE_KEPT(int, on_exit, (OnExit * function, void* argument), (function, argument));
ARMATURE_KEPT(int, __cxa_thread_atexit_impl, (Function * function, void* argument, void* library),
              (function, argument, library));

ARMATURE_ORIGINAL(int, __cxa_atexit, (Function * function, void* argument, void* library));

namespace {

/// The C library hides what it is to call by a number, which share_secrets changes. What is told
/// before that (a profiler does so, from what each library begins with) is told to it afterwards.
struct AtExit {
  Function* function = nullptr;
  void *argument = nullptr, *library = nullptr;
};
constinit AtExit early[16];
constinit std::size_t early_count = 0;
constinit bool secrets_are_shared = false;

[[gnu::constructor]] void tell_early_ones() {
  secrets_are_shared = true;
  for (std::size_t i = 0; i < early_count; ++i)
    (void)original___cxa_atexit(early[i].function, early[i].argument, early[i].library);
}

}  // namespace

ARMATURE_EXPORT int __cxa_atexit(Function* function, void* argument, void* library) noexcept {
  const ProcessHeap kept;
  if (secrets_are_shared) return original___cxa_atexit(function, argument, library);
  if (early_count == std::size(early)) return -1;
  early[early_count++] = {function, argument, library};
  return 0;
}
