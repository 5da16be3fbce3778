// A rank that goes to another process of the node leaves its descriptors open, and is given the
// same ones there (pidfd_getfd): files that have lost their names go along, too. Where that is not
// possible, on another node, in a restarted job, or where the system forbids it, they are opened
// again by name, and put where they were. Descriptors that were left are closed when the rank has
// arrived elsewhere.
#include "interpose/moving_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "interpose/current.hpp"
#include "interpose/open_files.hpp"

// The C library has these for C++ libraries that bring streams of their own.
extern "C" {
void _IO_link_in(std::FILE* stream);
void _IO_un_link(std::FILE* stream);
}

namespace armature::interpose {
namespace {

using File = OpenFiles::File;
using OfRank = OpenFiles::OfRank;
using Problem = MovingFiles::Problem;

struct PackedRank {
  std::int32_t process;
  std::uint32_t files, streams;
};

/// A file as it is when its rank leaves; its name follows.
struct PackedFile {
  std::uint32_t index, shares;
  std::int32_t status, of_descriptor;  // F_GETFL, F_GETFD
  std::int64_t position, bytes;
  std::uint64_t device, inode;
  std::int64_t changed_s, changed_ns;
  std::uint32_t mode;
  std::uint32_t path_bytes;
};

bool is_regular(std::uint32_t mode) { return S_ISREG(mode); }
bool is_read_only(const PackedFile& file) { return (file.status & O_ACCMODE) == O_RDONLY; }

int control(int number, int command, long argument) {
  return open_files.calls().control(number, command, argument);
}

/// Reads packed bytes in their order.
class Reader {
 public:
  Reader(const std::byte* bytes, std::size_t count) : at_(bytes), left_(count) {}

  [[nodiscard]] bool read(void* to, std::size_t bytes) {
    if (bytes > left_) return false;
    std::memcpy(to, at_, bytes);
    at_ += bytes;
    left_ -= bytes;
    return true;
  }

 private:
  const std::byte* at_;
  std::size_t left_;
};

PackedFile described(std::size_t index, const File& file, int number) {
  struct stat state {};
  (void)fstat(number, &state);
  return {.index = static_cast<std::uint32_t>(index),
          .shares = file.shares,
          .status = control(number, F_GETFL, 0),
          .of_descriptor = control(number, F_GETFD, 0),
          .position = S_ISCHR(state.st_mode) ? 0 : lseek(number, 0, SEEK_CUR),
          .bytes = state.st_size,
          .device = state.st_dev,
          .inode = state.st_ino,
          .changed_s = state.st_mtim.tv_sec,
          .changed_ns = state.st_mtim.tv_nsec,
          .mode = state.st_mode,
          .path_bytes = 0};
}

/// The name of an open file; its length.
std::size_t name_of(int number, char (&path)[PATH_MAX]) {
  char link[64];
  (void)std::snprintf(link, sizeof link, "/proc/self/fd/%d", number);
  const ssize_t bytes = readlink(link, path, sizeof path - 1);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void pack(std::size_t rank, MovingFiles::Append append, void* to) {
  const std::lock_guard lock(open_files.lock());
  OfRank* const its = open_files.of(rank);
  if (its == nullptr) return;
  PackedRank all{getpid(), 0, static_cast<std::uint32_t>(its->streams.size())};
  for (const File& file : its->files) all.files += file.state == File::State::open ? 1 : 0;
  if (all.files == 0 && all.streams == 0) return;
  append(to, &all, sizeof all);
  for (std::size_t index = 0; index < its->files.size(); ++index) {
    if (its->files[index].state != File::State::open) continue;
    const int number = OpenFiles::number_of(rank, index);
    PackedFile file = described(index, its->files[index], number);
    char path[PATH_MAX];
    file.path_bytes = static_cast<std::uint32_t>(name_of(number, path));
    append(to, &file, sizeof file);
    append(to, path, file.path_bytes);
  }
  append(to, its->streams.begin(), its->streams.size() * sizeof(std::FILE*));
  heap_of_rank(rank).files.holder.store(getpid(), std::memory_order_relaxed);
}

bool find_nameless(std::size_t rank, Problem& problem) {
  const std::lock_guard lock(open_files.lock());
  OfRank* const its = open_files.of(rank);
  if (its == nullptr) return false;
  for (std::size_t index = 0; index < its->files.size(); ++index) {
    const int number = OpenFiles::number_of(rank, index);
    struct stat state {};
    if (its->files[index].state == File::State::none || fstat(number, &state) != 0 ||
        state.st_nlink > 0)
      continue;
    problem.path[name_of(number, problem.path)] = '\0';
    problem.why = "it has no name any more, by which to open it again";
    return true;
  }
  return false;
}

void forget(std::size_t rank) {
  const std::lock_guard lock(open_files.lock());
  OfRank* const its = open_files.of(rank);
  if (its == nullptr) return;
  bool leaves_some = false;
  for (File& file : its->files)
    if (file.state == File::State::open) {
      file.state = File::State::left;
      leaves_some = true;
      open_files.left().count.fetch_add(1, std::memory_order_relaxed);
    }
  if (leaves_some) (void)open_files.left().ranks.append(rank);
  for (std::FILE* const stream : its->streams) _IO_un_link(stream);
  its->streams.clear();
}

void end(std::size_t rank, bool is_alone) {
  const std::lock_guard lock(open_files.lock());
  OfRank* const its = open_files.of(rank);
  if (its == nullptr) return;
  for (std::FILE* const stream : its->streams) {
    (void)std::fflush(stream);
    if (is_alone) _IO_un_link(stream);
  }
  its->streams.clear();
  its->files.clear();
}

// -- arriving -------------------------------------------------------------------------------------

/// Opens the packed files of one rank.
class Arrival {
 public:
  /// `from`: the process that has packed them; -1: it is not of this node's job.
  Arrival(std::size_t rank, OfRank& its, int from, Problem& problem)
      : rank_(rank), its_(its), problem_(problem), from_(from) {
    if (from >= 0 && from != getpid())
      process_ = static_cast<int>(syscall(SYS_pidfd_open, from, 0));
  }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  ~Arrival() {
    if (process_ >= 0) (void)open_files.calls().close(process_);
  }

  [[nodiscard]] bool take(const PackedFile& file, const char* path) {
    while (its_.files.size() <= file.index)
      if (!its_.files.append({})) return fails(path, "there is no memory for a note of it");
    const int number = OpenFiles::number_of(rank_, file.index);
    if (!OpenFiles::may_have(number))
      return fails(path, "this process may not have so many files open (RLIMIT_NOFILE)");
    const bool was_here = is_still_open(file, number);
    if (!was_here && !hand_over(file, number) && !share(file, number) &&
        !open_again(file, number, path))
      return false;
    File& mine = its_.files[file.index];
    if (mine.state == File::State::left)
      open_files.left().count.fetch_sub(1, std::memory_order_relaxed);
    mine = {File::State::open, was_here && mine.has_lock, file.shares};  // its lock goes on, too
    if (!S_ISCHR(file.mode)) (void)lseek(number, file.position, SEEK_SET);
    return true;
  }

 private:
  bool fails(const char* path, const char* why, int error = 0) {
    std::memcpy(problem_.path, path, std::strlen(path) + 1);
    problem_.why = why;
    problem_.error = error;
    return false;
  }

  /// Whether it is the same file, opened in the same way.
  static bool is_same(const PackedFile& file, int number) {
    struct stat state {};
    return fstat(number, &state) == 0 && state.st_dev == file.device &&
           state.st_ino == file.inode &&
           (control(number, F_GETFL, 0) & O_ACCMODE) == (file.status & O_ACCMODE);
  }

  /// The rank has not been elsewhere.
  [[nodiscard]] bool is_still_open(const PackedFile& file, int number) {
    return from_ == getpid() && its_.files[file.index].state == File::State::left &&
           is_same(file, number);
  }

  bool put(int number, const PackedFile& file, int as) {
    const int flags = (file.of_descriptor & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0;
    const int result = open_files.calls().duplicate(number, as, flags);
    (void)open_files.calls().close(number);
    return result >= 0;
  }

  bool hand_over(const PackedFile& file, int number) {
    if (process_ < 0) return false;
    const int got = static_cast<int>(syscall(SYS_pidfd_getfd, process_, number, 0));
    if (got < 0) return false;
    if (is_same(file, got)) return put(got, file, number);
    (void)open_files.calls().close(got);
    return false;
  }

  /// Shares the position of one that has been opened again.
  bool share(const PackedFile& file, int number) {
    if (file.shares >= file.index || its_.files[file.shares].state != File::State::open)
      return false;
    const int first = OpenFiles::number_of(rank_, file.shares);
    const int got = control(first, F_DUPFD_CLOEXEC, 0);
    return got >= 0 && put(got, file, number);
  }

  bool open_again(const PackedFile& file, int number, const char* path) {
    const int flags = file.status & ~(O_CREAT | O_EXCL | O_TRUNC);
    const int got = ::openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY);
    if (got < 0) return fails(path, "", errno);
    struct stat state {};
    const char* wrong = nullptr;
    if (fstat(got, &state) != 0 || (state.st_mode & S_IFMT) != (file.mode & S_IFMT))
      wrong = "there is something else of that name now";
    else if (is_regular(file.mode) && state.st_size < file.position)
      wrong = "it has become shorter";
    else if (is_regular(file.mode) && is_read_only(file) && has_changed(file, state))
      wrong = "it has changed since";
    if (wrong == nullptr) return put(got, file, number) || fails(path, "no descriptor is left");
    (void)open_files.calls().close(got);
    return fails(path, wrong);
  }

  /// Copies of a file may have other times: a size says enough there.
  static bool has_changed(const PackedFile& file, const struct stat& state) {
    if (state.st_size != file.bytes) return true;
    return state.st_dev == file.device && state.st_ino == file.inode &&
           (state.st_mtim.tv_sec != file.changed_s || state.st_mtim.tv_nsec != file.changed_ns);
  }

  const std::size_t rank_;
  OfRank& its_;
  Problem& problem_;
  const int from_;
  int process_ = -1;  // a descriptor of the one that has packed them
};

/// Closes files that the rank had open here at a time that it has forgotten.
void close_rest(std::size_t rank, OfRank& its) {
  for (std::size_t index = 0; index < its.files.size(); ++index) {
    if (its.files[index].state != File::State::left) continue;
    (void)open_files.calls().close(OpenFiles::number_of(rank, index));
    its.files[index] = {};
    open_files.left().count.fetch_sub(1, std::memory_order_relaxed);
  }
}

bool unpack(std::size_t rank, const std::byte* packed, std::size_t bytes, bool from_node,
            Problem& problem) {
  Reader reader(packed, bytes);
  PackedRank all{};
  if (!reader.read(&all, sizeof all)) return false;
  const std::lock_guard lock(open_files.lock());
  OfRank& its = open_files.make(rank);
  {
    Arrival arrival(rank, its, from_node ? all.process : -1, problem);
    for (std::uint32_t i = 0; i < all.files; ++i) {
      PackedFile file{};
      char path[PATH_MAX];
      if (!reader.read(&file, sizeof file) || file.path_bytes >= sizeof path ||
          !reader.read(path, file.path_bytes))
        return false;
      path[file.path_bytes] = '\0';
      if (!arrival.take(file, path)) return false;
    }
  }
  close_rest(rank, its);
  for (std::uint32_t i = 0; i < all.streams; ++i) {
    std::FILE* stream = nullptr;
    if (!reader.read(&stream, sizeof stream) || !its.streams.append(stream)) return false;
    _IO_link_in(stream);
  }
  // Release: the process that it has left closes them.
  heap_of_rank(rank).files.holder.store(getpid(), std::memory_order_release);
  return true;
}

void close_left(bool (*is_settled)(std::size_t rank, const void* of), const void* of) {
  const std::lock_guard lock(open_files.lock());
  ProcessArray<std::size_t>& ranks = open_files.left().ranks;
  for (std::size_t i = ranks.size(); i-- > 0;) {
    if (!is_settled(ranks[i], of)) continue;
    close_rest(ranks[i], *open_files.of(ranks[i]));
    ranks.remove(i);
  }
}

}  // namespace

MovingFiles moving_files() {
  return {.pack = pack,
          .find_nameless = find_nameless,
          .unpack = unpack,
          .forget = forget,
          .end = end,
          .left = &open_files.left().count,
          .close_left = close_left};
}

}  // namespace armature::interpose
