// The calls that give a program descriptors, and close them. What a rank opens is noted, and may
// get another number (open_files.hpp). The C library's calls of itself do not come here: what it
// opens and does not close before it returns (fopen, opendir) is in streams.cpp. Functions that
// take their last argument only at times are called with it: the C library looks at it then.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "interpose/current.hpp"
#include "interpose/open_files.hpp"
#include "interpose/original.hpp"

using armature::interpose::open_files;
using armature::interpose::OpenFiles;
using armature::interpose::rank_of_files;

ARMATURE_ORIGINAL(int, close, (int number));
ARMATURE_ORIGINAL(int, fcntl, (int number, int command, long argument));
ARMATURE_ORIGINAL(int, dup3, (int number, int as, int flags));

constinit OpenFiles armature::interpose::open_files({
    .close = [](int number) { return original_close(number); },
    .control = [](int number, int command,
                  long argument) { return original_fcntl(number, command, argument); },
    .duplicate = [](int number, int as, int flags) { return original_dup3(number, as, flags); },
});

namespace {

/// Takes what a call has given the rank that runs, if one does.
int taken(int number, int like = -1) {
  if (number < 0) return number;
  armature::space::RankHeap* const rank = rank_of_files();
  return rank != nullptr ? open_files.add(number, *rank, like) : number;
}

/// Takes what a call has given that the library of gfortran may have made: what that knows of units
/// is the process's, so they keep the rank there.
int taken_for(const void* caller, int number) {
  armature::space::RankHeap* const rank = rank_of_files();
  if (number < 0 || rank == nullptr) return number;
  Dl_info library{};
  const bool is_unit = dladdr(caller, &library) != 0 && library.dli_fname != nullptr &&
                       std::strstr(library.dli_fname, "/libgfortran.so") != nullptr;
  return is_unit ? open_files.add_tied(number, *rank) : open_files.add(number, *rank);
}

/// Takes both descriptors of a call that gives two.
int taken(int result, int (&numbers)[2]) {
  if (result != 0) return result;
  for (int& number : numbers) {
    const int own = taken(number);
    if (own < 0) {
      for (const int one : numbers) (void)close(one);
      errno = EMFILE;
      return -1;
    }
    number = own;
  }
  return 0;
}

bool makes_file(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace

/// Takes the C library's place: what it gives is noted.
#define ARMATURE_TAKEN(name, parameters, arguments)                                \
  ARMATURE_ORIGINAL(int, name, parameters);                                        \
  ARMATURE_EXPORT int name parameters { return taken(original_##name arguments); } \
  static_assert(true)

/// The last of a call's arguments, where the flags ask for it.
#define ARMATURE_MODE(mode, flags) \
  mode_t mode = 0;                 \
  if (makes_file(flags)) {         \
    va_list more;                  \
    va_start(more, flags);         \
    mode = va_arg(more, mode_t);   \
    va_end(more);                  \
  }                                \
  static_assert(true)

ARMATURE_ORIGINAL(int, open, (const char* path, int flags, mode_t mode));
ARMATURE_ORIGINAL(int, openat, (int folder, const char* path, int flags, mode_t mode));

ARMATURE_EXPORT int open(const char* path, int flags, ...) {
  ARMATURE_MODE(mode, flags);
  return taken_for(__builtin_return_address(0), original_open(path, flags, mode));
}

ARMATURE_EXPORT int open64(const char* path, int flags, ...) {
  ARMATURE_MODE(mode, flags);
  return taken_for(__builtin_return_address(0), original_open(path, flags | O_LARGEFILE, mode));
}

ARMATURE_EXPORT int openat(int folder, const char* path, int flags, ...) {
  ARMATURE_MODE(mode, flags);
  return taken(original_openat(folder, path, flags, mode));
}

ARMATURE_EXPORT int openat64(int folder, const char* path, int flags, ...) {
  ARMATURE_MODE(mode, flags);
  return taken(original_openat(folder, path, flags | O_LARGEFILE, mode));
}

// Programs that are compiled with _FORTIFY_SOURCE call these.
ARMATURE_EXPORT int __open_2(const char* path, int flags) { return open(path, flags); }
ARMATURE_EXPORT int __open64_2(const char* path, int flags) { return open64(path, flags); }
ARMATURE_EXPORT int __openat_2(int folder, const char* path, int flags) {
  return openat(folder, path, flags);
}
ARMATURE_EXPORT int __openat64_2(int folder, const char* path, int flags) {
  return openat64(folder, path, flags);
}

ARMATURE_TAKEN(creat, (const char* path, mode_t mode), (path, mode));
ARMATURE_TAKEN(creat64, (const char* path, mode_t mode), (path, mode));
ARMATURE_TAKEN(mkstemp, (char* path), (path));
ARMATURE_TAKEN(mkstemp64, (char* path), (path));
ARMATURE_ORIGINAL(int, mkostemp, (char* path, int flags));
ARMATURE_EXPORT int mkostemp(char* path, int flags) {
  return taken_for(__builtin_return_address(0), original_mkostemp(path, flags));
}
ARMATURE_EXPORT int mkostemp64(char* path, int flags) {
  return taken_for(__builtin_return_address(0), original_mkostemp(path, flags));
}
ARMATURE_TAKEN(mkstemps, (char* path, int behind), (path, behind));
ARMATURE_TAKEN(mkstemps64, (char* path, int behind), (path, behind));
ARMATURE_TAKEN(mkostemps, (char* path, int behind, int flags), (path, behind, flags));
ARMATURE_TAKEN(mkostemps64, (char* path, int behind, int flags), (path, behind, flags));

// Descriptors that tie a rank to its process.
ARMATURE_TAKEN(shm_open, (const char* name, int flags, mode_t mode), (name, flags, mode));
ARMATURE_ORIGINAL(int, socket, (int domain, int type, int protocol));
ARMATURE_EXPORT int socket(int domain, int type, int protocol) noexcept {
  return taken(original_socket(domain, type, protocol));
}
ARMATURE_TAKEN(accept, (int number, sockaddr* from, socklen_t* bytes), (number, from, bytes));
ARMATURE_TAKEN(accept4, (int number, sockaddr* from, socklen_t* bytes, int flags),
               (number, from, bytes, flags));

/// Does the same as ARMATURE_TAKEN for calls that are declared to throw nothing.
#define ARMATURE_TAKEN_QUIETLY(name, parameters, arguments)                                 \
  ARMATURE_ORIGINAL(int, name, parameters);                                                 \
  ARMATURE_EXPORT int name parameters noexcept { return taken(original_##name arguments); } \
  static_assert(true)

ARMATURE_TAKEN_QUIETLY(epoll_create, (int size), (size));
ARMATURE_TAKEN_QUIETLY(epoll_create1, (int flags), (flags));
ARMATURE_TAKEN_QUIETLY(eventfd, (unsigned count, int flags), (count, flags));
ARMATURE_TAKEN_QUIETLY(signalfd, (int number, const sigset_t* signals, int flags),
                       (number, signals, flags));
ARMATURE_TAKEN_QUIETLY(timerfd_create, (clockid_t clock, int flags), (clock, flags));
ARMATURE_TAKEN_QUIETLY(inotify_init, (), ());
ARMATURE_TAKEN_QUIETLY(inotify_init1, (int flags), (flags));
ARMATURE_TAKEN_QUIETLY(memfd_create, (const char* name, unsigned flags), (name, flags));
ARMATURE_TAKEN(posix_openpt, (int flags), (flags));

ARMATURE_ORIGINAL(int, pipe, (int (&numbers)[2]));
ARMATURE_ORIGINAL(int, pipe2, (int (&numbers)[2], int flags));
ARMATURE_ORIGINAL(int, socketpair, (int domain, int type, int protocol, int (&numbers)[2]));

ARMATURE_EXPORT int pipe(int* numbers) noexcept {
  auto& both = *reinterpret_cast<int(*)[2]>(numbers);
  return taken(original_pipe(both), both);
}

ARMATURE_EXPORT int pipe2(int* numbers, int flags) noexcept {
  auto& both = *reinterpret_cast<int(*)[2]>(numbers);
  return taken(original_pipe2(both, flags), both);
}

ARMATURE_EXPORT int socketpair(int domain, int type, int protocol, int* numbers) noexcept {
  auto& both = *reinterpret_cast<int(*)[2]>(numbers);
  return taken(original_socketpair(domain, type, protocol, both), both);
}

// Other descriptors of the same file.

ARMATURE_ORIGINAL(int, dup, (int number));
ARMATURE_ORIGINAL(int, dup2, (int number, int as));

ARMATURE_EXPORT int dup(int number) noexcept { return taken(original_dup(number), number); }

namespace {

/// The number is the caller's choice.
int taken_as(int result, int number) {
  if (result < 0 || result == number) return result;
  open_files.remove(result);  // what was open there is closed
  if (armature::space::RankHeap* const rank = rank_of_files())
    open_files.add_as(result, *rank, number);
  return result;
}

}  // namespace

ARMATURE_EXPORT int dup2(int number, int as) noexcept {
  return taken_as(original_dup2(number, as), number);
}

ARMATURE_EXPORT int dup3(int number, int as, int flags) noexcept {
  return taken_as(original_dup3(number, as, flags), number);
}

namespace {

int controlled(int number, int command, long argument) {
  const int result = original_fcntl(number, command, argument);
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return taken(result, number);
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
      // Others may stay locked where one is let go.
      if (result == 0 && reinterpret_cast<const struct flock*>(argument)->l_type != F_UNLCK)
        open_files.note_lock(number, true);
      return result;
    default:
      return result;
  }
}

}  // namespace

#define ARMATURE_CONTROL(name)                             \
  ARMATURE_EXPORT int name(int number, int command, ...) { \
    va_list more;                                          \
    va_start(more, command);                               \
    const long argument = va_arg(more, long);              \
    va_end(more);                                          \
    return controlled(number, command, argument);          \
  }                                                        \
  static_assert(true)

ARMATURE_CONTROL(fcntl);
ARMATURE_CONTROL(fcntl64);

ARMATURE_ORIGINAL(int, lockf, (int number, int command, off_t bytes));

ARMATURE_EXPORT int lockf(int number, int command, off_t bytes) {
  const int result = original_lockf(number, command, bytes);
  if (result == 0 && (command == F_LOCK || command == F_TLOCK)) open_files.note_lock(number, true);
  return result;
}

// The lock is the open file's: it goes along on a node, and nowhere else.
ARMATURE_ORIGINAL(int, flock, (int number, int command));

ARMATURE_EXPORT int flock(int number, int command) noexcept {
  const int result = original_flock(number, command);
  if (result == 0) open_files.note_lock(number, (command & LOCK_UN) == 0);
  return result;
}

ARMATURE_EXPORT int lockf64(int number, int command, off64_t bytes) {
  return lockf(number, command, bytes);
}

// Closing.

ARMATURE_EXPORT int close(int number) {
  open_files.remove(number);
  return original_close(number);
}
