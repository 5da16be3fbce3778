// A child of fork goes on with the stack of whoever has called it. The stack of a virtual rank lies
// in memory that parent and child share: both would write to it, and the parent would crash sooner
// or later. So a rank is refused its fork. A call that starts another program needs no stack of its
// own (posix_spawn, and so system and popen; vfork, whose parent waits). A thread that runs no rank
// may fork: its child leaves the ranks' memory alone. A system call that is made without the C
// library (clone) cannot be refused.
#include <pty.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "interpose/current.hpp"
#include "interpose/original.hpp"

namespace {

/// Says it once in a process, as the program may try again and again.
void say_why(const char* call) {
  constinit static bool was_said = false;
  if (was_said) return;
  was_said = true;
  char text[400];
  const int bytes = std::snprintf(
      text, sizeof text,
      "armature: %s in a virtual rank is refused (ENOSYS): the child would run on the stack of its "
      "parent. posix_spawn, system and popen start other programs; a thread of the program's own "
      "that runs no rank may fork\n",
      call);
  (void)!write(STDERR_FILENO, text, static_cast<std::size_t>(bytes));
}

bool is_refused(const char* call) {
  if (armature::interpose::current_heap == nullptr) return false;
  say_why(call);
  errno = ENOSYS;
  return true;
}

}  // namespace

ARMATURE_ORIGINAL(pid_t, fork, ());
ARMATURE_ORIGINAL(pid_t, _Fork, ());
ARMATURE_ORIGINAL(int, daemon, (int keeps_folder, int keeps_streams));
ARMATURE_ORIGINAL(int, forkpty, (int* master, char* name, const termios* how, const winsize* size));

ARMATURE_EXPORT pid_t fork() noexcept { return is_refused("fork") ? -1 : original_fork(); }

ARMATURE_EXPORT pid_t _Fork() noexcept { return is_refused("_Fork") ? -1 : original__Fork(); }

// These functions call fork inside the C library, where nobody else is asked.
ARMATURE_EXPORT int daemon(int keeps_folder, int keeps_streams) noexcept {
  return is_refused("daemon") ? -1 : original_daemon(keeps_folder, keeps_streams);
}

ARMATURE_EXPORT int forkpty(int* master, char* name, const termios* how,
                            const winsize* size) noexcept {
  return is_refused("forkpty") ? -1 : original_forkpty(master, name, how, size);
}

// fork under the C library's own names for it.
ARMATURE_EXPORT ARMATURE_ALIAS(fork) decltype(fork) __fork;
ARMATURE_EXPORT ARMATURE_ALIAS(fork) decltype(fork) __libc_fork;
