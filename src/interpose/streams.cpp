// The calls that give a program streams and directories. What they say lies where malloc puts it,
// so it goes with the rank that has opened them. The C library has all streams of the process in a
// list: a rank's is taken out of it and put into that of the process to which the rank goes
// (moving_files.cpp).
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "interpose/current.hpp"
#include "interpose/open_files.hpp"
#include "interpose/original.hpp"

using armature::interpose::current_rank_heap;
using armature::interpose::open_files;
using armature::space::RankHeap;

ARMATURE_ORIGINAL(int, fclose, (std::FILE * stream));

namespace {

/// Takes a stream that a call has opened for the rank that runs, if one does.
std::FILE* taken(std::FILE* stream) {
  RankHeap* const rank = current_rank_heap();
  if (stream == nullptr || rank == nullptr) return stream;
  const int number = fileno(stream);
  const int own = number < 0 ? number : open_files.add(number, *rank);
  if (own < 0 && number >= 0) {  // there is none for it, and it is closed
    stream->_fileno = -1;
    (void)original_fclose(stream);
    errno = EMFILE;
    return nullptr;
  }
  stream->_fileno = own;
  open_files.add_stream(stream, *rank);
  return stream;
}

/// A stream without a file, or of one that is open already.
std::FILE* taken_as_it_is(std::FILE* stream) {
  RankHeap* const rank = current_rank_heap();
  if (stream != nullptr && rank != nullptr) open_files.add_stream(stream, *rank);
  return stream;
}

}  // namespace

/// Takes the C library's place: `how` notes the stream that it gives.
#define ARMATURE_STREAM(how, name, parameters, arguments)                               \
  ARMATURE_ORIGINAL(std::FILE*, name, parameters);                                      \
  ARMATURE_EXPORT std::FILE* name parameters { return how(original_##name arguments); } \
  static_assert(true)

ARMATURE_STREAM(taken, fopen, (const char* path, const char* mode), (path, mode));
ARMATURE_STREAM(taken, fopen64, (const char* path, const char* mode), (path, mode));
ARMATURE_STREAM(taken, tmpfile, (), ());
ARMATURE_STREAM(taken, tmpfile64, (), ());

ARMATURE_ORIGINAL(std::FILE*, fdopen, (int number, const char* mode));
ARMATURE_EXPORT std::FILE* fdopen(int number, const char* mode) noexcept {
  return taken_as_it_is(original_fdopen(number, mode));
}

ARMATURE_ORIGINAL(std::FILE*, fmemopen, (void* bytes, std::size_t size, const char* mode));
ARMATURE_EXPORT std::FILE* fmemopen(void* bytes, std::size_t size, const char* mode) noexcept {
  return taken_as_it_is(original_fmemopen(bytes, size, mode));
}

ARMATURE_ORIGINAL(std::FILE*, open_memstream, (char** bytes, std::size_t* size));
ARMATURE_EXPORT std::FILE* open_memstream(char** bytes, std::size_t* size) noexcept {
  return taken_as_it_is(original_open_memstream(bytes, size));
}

ARMATURE_ORIGINAL(std::FILE*, fopencookie,
                  (void* cookie, const char* mode, cookie_io_functions_t by));
ARMATURE_EXPORT std::FILE* fopencookie(void* cookie, const char* mode,
                                       cookie_io_functions_t by) noexcept {
  return taken_as_it_is(original_fopencookie(cookie, mode, by));
}

// The standard streams are the process's, whatever they are opened as.
namespace {

using Reopen = std::FILE*(const char* path, const char* mode, std::FILE* stream);

template <class Original>
std::FILE* reopened(Original& reopen, const char* path, const char* mode, std::FILE* stream) {
  const bool is_ranks =
      current_rank_heap() != nullptr && stream != stdin && stream != stdout && stream != stderr;
  if (!is_ranks) return reopen(path, mode, stream);
  open_files.remove_stream(stream);
  if (const int number = fileno(stream); number >= 0) open_files.remove(number);
  return taken(reopen(path, mode, stream));  // which keeps the number
}

}  // namespace

ARMATURE_ORIGINAL(std::FILE*, freopen, (const char* path, const char* mode, std::FILE* stream));
ARMATURE_ORIGINAL(std::FILE*, freopen64, (const char* path, const char* mode, std::FILE* stream));

ARMATURE_EXPORT std::FILE* freopen(const char* path, const char* mode, std::FILE* stream) {
  return reopened(original_freopen, path, mode, stream);
}

ARMATURE_EXPORT std::FILE* freopen64(const char* path, const char* mode, std::FILE* stream) {
  return reopened(original_freopen64, path, mode, stream);
}

ARMATURE_EXPORT int fclose(std::FILE* stream) {
  open_files.remove_stream(stream);
  const int error = errno;
  if (const int number = fileno(stream); number >= 0) open_files.remove(number);
  errno = error;
  return original_fclose(stream);
}

// A child process at the other end ties the rank.

ARMATURE_ORIGINAL(std::FILE*, popen, (const char* command, const char* mode));
ARMATURE_ORIGINAL(int, pclose, (std::FILE * stream));

ARMATURE_EXPORT std::FILE* popen(const char* command, const char* mode) {
  std::FILE* const stream = original_popen(command, mode);
  RankHeap* const rank = current_rank_heap();
  if (stream != nullptr && rank != nullptr) open_files.tie_stream(stream, *rank);
  return stream;
}

ARMATURE_EXPORT int pclose(std::FILE* stream) {
  open_files.remove_stream(stream);
  return original_pclose(stream);
}

// Directories.

ARMATURE_ORIGINAL(DIR*, opendir, (const char* path));
ARMATURE_ORIGINAL(DIR*, fdopendir, (int number));
ARMATURE_ORIGINAL(int, closedir, (DIR * folder));

ARMATURE_EXPORT DIR* opendir(const char* path) {
  if (current_rank_heap() == nullptr) return original_opendir(path);
  const int number = open(path, O_RDONLY | O_NONBLOCK | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return nullptr;
  DIR* const folder = original_fdopendir(number);
  if (folder == nullptr) {
    const int error = errno;
    (void)close(number);
    errno = error;
  }
  return folder;
}

ARMATURE_EXPORT int closedir(DIR* folder) {
  open_files.remove(dirfd(folder));
  return original_closedir(folder);
}
