// More calls of the C library that keep what they allocate: for messages and translations, logs,
// timers, keys of threads, named semaphores, tables of the system. See kept_by_libc.cpp.
#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "interpose/current.hpp"
#include "interpose/kept.hpp"
#include "interpose/tied_ranges.hpp"

using armature::interpose::current_rank_heap;
using armature::interpose::find_heap;
using armature::interpose::ProcessHeap;
using armature::space::RankHeap;

namespace {

using Text = const char*;
using Function = void();

/// The calling rank stays in this process for one thing more that lies in it.
void tie() {
  if (RankHeap* const rank = current_rank_heap())
    rank->ties.mappings.fetch_add(1, std::memory_order_relaxed);
}

/// One thing less: not where it was opened before there were ranks, so nothing is counted.
void untie() {
  RankHeap* const rank = current_rank_heap();
  if (rank == nullptr) return;
  std::atomic<std::uint32_t>& count = rank->ties.mappings;
  std::uint32_t before = count.load(std::memory_order_relaxed);
  while (before != 0 &&
         !count.compare_exchange_weak(before, before - 1, std::memory_order_release)) {
  }
}

}  // namespace

// Texts in the user's language.
ARMATURE_KEPT_1(char*, gettext, Text);
ARMATURE_KEPT_2(char*, dgettext, Text, Text);
ARMATURE_KEPT_3(char*, dcgettext, Text, Text, int);
ARMATURE_KEPT_3(char*, ngettext, Text, Text, unsigned long);
ARMATURE_KEPT_4(char*, dngettext, Text, Text, Text, unsigned long);
ARMATURE_KEPT_5(char*, dcngettext, Text, Text, Text, unsigned long, int);
ARMATURE_KEPT_1(char*, textdomain, Text);
ARMATURE_KEPT_2(char*, bindtextdomain, Text, Text);
ARMATURE_KEPT_2(char*, bind_textdomain_codeset, Text, Text);
ARMATURE_KEPT_1(Text, gai_strerror, int);
ARMATURE_KEPT_1(Text, hstrerror, int);
ARMATURE_KEPT_1(void, herror, Text);
ARMATURE_KEPT_4(std::size_t, regerror, int, const void*, char*, std::size_t);
ARMATURE_KEPT_1(int, rpmatch, Text);
ARMATURE_KEPT_AS(char*, strerror_r, (int number, char* room, std::size_t bytes), noexcept,
                 (number, room, bytes));
ARMATURE_KEPT_3(int, __xpg_strerror_r, int, char*, std::size_t);
ARMATURE_KEPT_1(void, perror, Text);
ARMATURE_KEPT_2(void, psignal, int, Text);
ARMATURE_KEPT_2(void, psiginfo, const siginfo_t*, Text);
ARMATURE_KEPT_6(int, fmtmsg, long, Text, int, Text, Text, Text);
ARMATURE_KEPT_2(int, addseverity, int, Text);
ARMATURE_KEPT_AS(char*, strptime, (Text text, Text how, tm* to), noexcept, (text, how, to));
ARMATURE_KEPT_1(tm*, getdate, Text);
ARMATURE_KEPT_2(int, getdate_r, Text, tm*);

// A catalogue lies in pages of its own, in this process.
ARMATURE_ORIGINAL(void*, catopen, (Text name, int how));
ARMATURE_EXPORT void* catopen(Text name, int how) {
  void* const none = reinterpret_cast<void*>(-1);
  void* const opened = original_catopen(name, how);
  if (opened != none) tie();
  return opened;
}
ARMATURE_ORIGINAL(int, catclose, (void* opened));
ARMATURE_EXPORT int catclose(void* opened) {
  const int result = original_catclose(opened);
  if (result == 0) untie();
  return result;
}

// The system's log. The name is the caller's, and the C library remembers where it lies.
ARMATURE_ORIGINAL(void, openlog, (Text name, int how, int facility));
ARMATURE_EXPORT void openlog(Text name, int how, int facility) {
  const ProcessHeap kept;
  original_openlog(name != nullptr ? strdup(name) : nullptr, how, facility);
}
ARMATURE_KEPT_3(void, vsyslog, int, Text, std::va_list);
ARMATURE_KEPT_4(void, __vsyslog_chk, int, int, Text, std::va_list);
ARMATURE_EXPORT void syslog(int priority, Text format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  vsyslog(priority, format, arguments);
  va_end(arguments);
}
ARMATURE_EXPORT void __syslog_chk(int priority, int flag, Text format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  __vsyslog_chk(priority, flag, format, arguments);
  va_end(arguments);
}

// Tables of the system, read line by line. One of them is a stream that the library opens itself.
ARMATURE_ORIGINAL(std::FILE*, setmntent, (Text path, Text mode));
ARMATURE_EXPORT std::FILE* setmntent(Text path, Text mode) {
  std::FILE* opened = nullptr;
  {
    const ProcessHeap kept;
    opened = original_setmntent(path, mode);
  }
  if (opened != nullptr) tie();
  return opened;
}
ARMATURE_ORIGINAL(int, endmntent, (std::FILE * opened));
ARMATURE_EXPORT int endmntent(std::FILE* opened) {
  if (find_heap(opened) != nullptr) return std::fclose(opened), 1;  // a rank's own, of fopen
  if (opened != nullptr) untie();
  return original_endmntent(opened);
}
ARMATURE_KEPT_FROM_STREAM(void, getmntent);
ARMATURE_KEPT_0(void*, getfsent);
ARMATURE_KEPT_1(void*, getfsspec, Text);
ARMATURE_KEPT_1(void*, getfsfile, Text);
ARMATURE_KEPT_0(int, setfsent);
ARMATURE_KEPT_1(char*, getpass, Text);
ARMATURE_KEPT_1(char*, ttyname, int);

// Keys of threads, what a fork calls, timers, requests that a thread of the library's works off.
ARMATURE_KEPT_AS(int, pthread_setspecific, (unsigned key, const void* value), noexcept,
                 (key, value));
ARMATURE_KEPT_2(int, tss_set, unsigned, void*);
ARMATURE_KEPT_4(int, __register_atfork, Function*, Function*, Function*, void*);
ARMATURE_KEPT_AS(int, timer_create, (clockid_t clock, sigevent* how, timer_t* made), noexcept,
                 (clock, how, made));
ARMATURE_KEPT_2(int, mq_notify, int, const sigevent*);
ARMATURE_KEPT_1(void, aio_init, const void*);
ARMATURE_KEPT_1(int, aio_read, void*);
ARMATURE_KEPT_1(int, aio_read64, void*);
ARMATURE_KEPT_1(int, aio_write, void*);
ARMATURE_KEPT_1(int, aio_write64, void*);
ARMATURE_KEPT_2(int, aio_fsync, int, void*);
ARMATURE_KEPT_2(int, aio_fsync64, int, void*);
ARMATURE_KEPT_4(int, lio_listio, int, void* const*, int, sigevent*);
ARMATURE_KEPT_4(int, lio_listio64, int, void* const*, int, sigevent*);
ARMATURE_KEPT_4(int, getaddrinfo_a, int, void**, int, sigevent*);
ARMATURE_KEPT_3(int, register_printf_specifier, int, void*, void*);
ARMATURE_KEPT_3(int, register_printf_function, int, void*, void*);
ARMATURE_KEPT_1(int, register_printf_modifier, const wchar_t*);
ARMATURE_KEPT_1(int, register_printf_type, void*);

// A semaphore that has a name lies in pages of its own, in this process.
ARMATURE_ORIGINAL(void*, sem_open, (Text name, int flags, mode_t mode, unsigned value));
ARMATURE_EXPORT void* sem_open(Text name, int flags, ...) {
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    std::va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    value = va_arg(more, unsigned);
    va_end(more);
  }
  void* opened = nullptr;
  {
    const ProcessHeap kept;
    opened = original_sem_open(name, flags, mode, value);
  }
  if (opened != nullptr) tie();
  return opened;
}
ARMATURE_ORIGINAL(int, sem_close, (void* opened));
ARMATURE_EXPORT int sem_close(void* opened) {
  const int result = original_sem_close(opened);
  if (result == 0) untie();
  return result;
}
