// Two jobs that write to one directory would remove each other's last checkpoint. So the process
// that decides which one is the last keeps a file there locked from its first checkpoint on. The
// system lets go of that when the process dies, whatever way: a file that merely exists would
// outlive it. It is a file of its own, since on network file systems a directory cannot be locked,
// and `latest` is replaced. It stays: who removed it could remove one that another has just locked.
#include "virtual/checkpoint/claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "base/write_all.hpp"

namespace armature::checkpoints {

std::uint64_t claim_patience_ns = 5'000'000'000;

namespace {

constexpr timespec nap{0, 10'000'000};

std::vector<base::FileDescriptor>& claims() {
  static std::vector<base::FileDescriptor> all;
  return all;
}

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

/// For whoever is refused.
void say_who(const base::FileDescriptor& file) {
  char host[HOST_NAME_MAX + 1] = {};
  (void)gethostname(host, HOST_NAME_MAX);
  const std::string text = fmt::format("process {} on {}\n", getpid(), host);
  if (ftruncate(file.get(), 0) == 0) (void)base::write_all(file.get(), text.data(), text.size());
}

/// What it has said; empty where that makes no sense.
std::string who_has(const base::FileDescriptor& file) {
  char text[HOST_NAME_MAX + 64];
  const ssize_t bytes = pread(file.get(), text, sizeof text, 0);
  const std::string all(text, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  const std::string line = all.substr(0, all.find('\n'));
  const bool is_sensible = line.starts_with("process ") &&
                           std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
  return is_sensible ? ": " + line : std::string();
}

}  // namespace

void claim(const std::string& directory) {
  const std::string path = directory + "/.armature-lock";
  std::erase_if(claims(), [](const auto& file) {
    struct stat status {};
    return fstat(file.get(), &status) != 0 || status.st_nlink == 0;
  });
  if (std::ranges::any_of(claims(), [&](const auto& file) { return is_at(file, path); })) return;
  for (const std::uint64_t end_ns = base::now_ns() + claim_patience_ns;; nanosleep(&nap, nullptr)) {
    base::FileDescriptor file = open_lock(path);
    if (!lock(file)) {
      if (base::now_ns() < end_ns) continue;
      base::fail(Errc::corrupt,
                 fmt::format("another job writes checkpoints to {}{}", directory, who_has(file)));
    }
    if (!is_at(file, path)) continue;
    say_who(file);
    claims().push_back(std::move(file));
    return;
  }
}

void give_up_claims() noexcept { claims().clear(); }

}  // namespace armature::checkpoints
