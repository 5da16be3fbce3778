// The standard streams are the process's, whichever rank reads or writes them: so is what they take
// for letters that are put back, and for wide characters. What they take for others has been given
// to them (world/virtual_ranks.cpp). Other streams are of the rank that has opened them.
#include <cstdarg>
#include <cstdio>
#include <cwchar>

#include "interpose/current.hpp"
#include "interpose/original.hpp"

namespace {

bool is_processs(const std::FILE* stream) {
  return stream == stdin || stream == stdout || stream == stderr;
}

template <class Call>
auto with_memory_of(const std::FILE* stream, Call call) {
  if (!is_processs(stream)) return call();
  const armature::interpose::ProcessHeap kept;
  return call();
}

using Wide = const wchar_t*;

}  // namespace

/// As the C library's function, with the memory of whoever has the stream.
#define ARMATURE_OF_STREAM(Result, name, parameters, stream, arguments)       \
  ARMATURE_ORIGINAL(Result, name, parameters);                                \
  ARMATURE_EXPORT Result name parameters {                                    \
    return with_memory_of(stream, [&] { return original_##name arguments; }); \
  }                                                                           \
  static_assert(true)

ARMATURE_OF_STREAM(int, ungetc, (int letter, std::FILE* to), to, (letter, to));
ARMATURE_OF_STREAM(wint_t, ungetwc, (wint_t letter, std::FILE* to), to, (letter, to));
ARMATURE_OF_STREAM(wint_t, fputwc, (wchar_t letter, std::FILE* to), to, (letter, to));
ARMATURE_OF_STREAM(wint_t, putwc, (wchar_t letter, std::FILE* to), to, (letter, to));
ARMATURE_OF_STREAM(wint_t, putwchar, (wchar_t letter), stdout, (letter));
ARMATURE_OF_STREAM(int, fputws, (Wide text, std::FILE* to), to, (text, to));
ARMATURE_OF_STREAM(wint_t, fgetwc, (std::FILE * from), from, (from));
ARMATURE_OF_STREAM(wint_t, getwc, (std::FILE * from), from, (from));
ARMATURE_OF_STREAM(wint_t, getwchar, (), stdin, ());
ARMATURE_OF_STREAM(wchar_t*, fgetws, (wchar_t * to, int max, std::FILE* from), from,
                   (to, max, from));
ARMATURE_OF_STREAM(int, vfwprintf, (std::FILE * to, Wide how, std::va_list all), to,
                   (to, how, all));
ARMATURE_OF_STREAM(int, vwprintf, (Wide how, std::va_list all), stdout, (how, all));
ARMATURE_OF_STREAM(int, __vfwprintf_chk, (std::FILE * to, int flag, Wide how, std::va_list all), to,
                   (to, flag, how, all));
ARMATURE_OF_STREAM(int, __vwprintf_chk, (int flag, Wide how, std::va_list all), stdout,
                   (flag, how, all));

/// By the function that takes what follows as a list.
#define ARMATURE_WITH_LIST(name, parameters, last, by, arguments) \
  ARMATURE_EXPORT int name parameters {                           \
    std::va_list all;                                             \
    va_start(all, last);                                          \
    const int written = by arguments;                             \
    va_end(all);                                                  \
    return written;                                               \
  }                                                               \
  static_assert(true)

ARMATURE_WITH_LIST(wprintf, (Wide how, ...), how, vwprintf, (how, all));
ARMATURE_WITH_LIST(fwprintf, (std::FILE * to, Wide how, ...), how, vfwprintf, (to, how, all));
ARMATURE_WITH_LIST(__wprintf_chk, (int flag, Wide how, ...), how, __vwprintf_chk, (flag, how, all));
ARMATURE_WITH_LIST(__fwprintf_chk, (std::FILE * to, int flag, Wide how, ...), how, __vfwprintf_chk,
                   (to, flag, how, all));
