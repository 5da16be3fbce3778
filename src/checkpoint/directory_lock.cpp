// Two jobs that write to one directory would remove each other's last checkpoint. So the process
// that decides which one is the last keeps a file there locked from its first checkpoint on. The
// system lets go of that when the process is dead, and all that it has forked: a file that merely
// exists would outlive it. It is a file of its own, since on network file systems a directory
// cannot be locked, and `latest` is replaced. It stays: who removed it could remove one that
// another has just locked.
//
// Of a machine that is lost the file server may believe for long that it holds the lock, while its
// job goes on elsewhere. So the file says which job it is.
#include "checkpoint/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <exception>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "base/runtime.hpp"

namespace armature::checkpoints {

namespace {

constexpr std::uint64_t interval_ns = 10'000'000;
constexpr timespec interval{0, interval_ns};

struct HeldLocks {
  std::vector<base::FileDescriptor> all;
  std::string in_vain;  // the directory that was waited for last
};
std::vector<base::FileDescriptor>& held() { return base::state<HeldLocks>().all; }

/// Whether that is the file of that name, which may have been removed and made again.
bool is_at(const base::FileDescriptor& file, const std::string& path) {
  struct stat here {
  }, there{};
  return fstat(file.get(), &here) == 0 && stat(path.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/// False: somebody else has. Where files cannot be locked, nobody is kept out.
bool lock(const base::FileDescriptor& file) {
  int result = 0;
  do result = flock(file.get(), LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return result == 0 || errno != EWOULDBLOCK;
}

base::FileDescriptor open_lock(const std::string& path) {
  base::FileDescriptor file(
      open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
  if (!file)
    base::fail(Errc::corrupt, fmt::format("{} cannot be made: {}", path, base::system_text(errno)));
  return file;
}

std::string last_line(std::uint64_t job) { return fmt::format("\njob {:#018x}\n", job); }

/// Writes who has the lock, for processes that are refused, and for those that are to follow.
void say_who(const base::FileDescriptor& file, std::uint64_t job) {
  char host[HOST_NAME_MAX + 1] = {};
  (void)gethostname(host, HOST_NAME_MAX);
  const std::string text = fmt::format("process {} on {}{}", getpid(), host, last_line(job));
  (void)(ftruncate(file.get(), 0) == 0 && pwrite(file.get(), text.data(), text.size(), 0) > 0);
}

std::string what_is_said(const base::FileDescriptor& file) {
  char text[HOST_NAME_MAX + 128];
  const ssize_t bytes = pread(file.get(), text, sizeof text, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

bool is_of_job(const base::FileDescriptor& file, std::uint64_t job) {
  return job != 0 && what_is_said(file).ends_with(last_line(job));
}

/// Empty where what is said makes no sense.
std::string who_has(const base::FileDescriptor& file) {
  const std::string all = what_is_said(file), line = all.substr(0, all.find('\n'));
  const bool is_sensible = line.starts_with("process ") &&
                           std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
  return is_sensible ? ": " + line : std::string();
}

std::string path_in(const std::string& directory) { return directory + "/.armature-lock"; }

/// False: another job has it, and has not let go for so long.
bool try_lock_directory(const std::string& directory, std::uint64_t job,
                        std::uint64_t patience_ns) {
  const std::string path = path_in(directory);
  std::erase_if(held(), [](const auto& file) {
    struct stat status {};
    return fstat(file.get(), &status) != 0 || status.st_nlink == 0;
  });
  if (std::ranges::any_of(held(), [&](const auto& file) { return is_at(file, path); })) return true;
  bool was_of_job = false;
  for (const std::uint64_t end_ns = base::now_ns() + patience_ns;; nanosleep(&interval, nullptr)) {
    base::FileDescriptor file = open_lock(path);
    if (!lock(file)) {
      // Twice: whoever has just locked it may not have said yet that it is another one.
      if (is_of_job(file, job) && std::exchange(was_of_job, true)) return true;
      if (base::now_ns() >= end_ns) return false;
    } else if (is_at(file, path)) {
      say_who(file, job);
      held().push_back(std::move(file));
      return true;
    }
  }
}

}  // namespace

void lock_directory(const std::string& directory, std::uint64_t job) {
  // Waited for once: all ranks are quiescent meanwhile.
  std::string& in_vain = base::state<HeldLocks>().in_vain;
  const bool waits = directory != in_vain;
  if (!try_lock_directory(directory, job,
                          waits ? base::state<LockPatience>().ns : 2 * interval_ns)) {
    in_vain = directory;
    base::fail(Errc::corrupt, fmt::format("another job writes checkpoints to {}{}", directory,
                                          who_has(open_lock(path_in(directory)))));
  }
  in_vain.clear();
}

void lock_directory_again(const std::string& directory, std::uint64_t job) noexcept {
  try {
    (void)try_lock_directory(directory, job, 0);
  } catch (const std::exception&) {  // the next checkpoint will say why
  }
}

void unlock_directories() noexcept {
  // The files are emptied: else the next one to lock them could be taken for one of this job, until
  // it has said who it is.
  for (const auto& file : held()) (void)!ftruncate(file.get(), 0);
  held().clear();
}

}  // namespace armature::checkpoints
