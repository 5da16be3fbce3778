#include "bootstrap/tell_joined.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/runtime.hpp"

namespace armature::bootstrap {
namespace {

/// The file that the words go to: open from the first to the last.
struct Listener {
  int fd = -1;
  struct stat file {};
};

/// The number may be another file's by now, where inherited files were closed on the way.
bool is_still(const Listener& one) {
  struct stat now {};
  return one.fd >= 0 && fstat(one.fd, &now) == 0 && now.st_ino == one.file.st_ino &&
         now.st_dev == one.file.st_dev;
}

}  // namespace

bool tell_joined() {
  const char* const text = std::getenv(joined_variable);
  if (text == nullptr) return false;
  auto& listener = base::state<Listener>();
  const int fd = std::atoi(text);
  unsetenv(joined_variable);  // a program that this one starts has nothing to tell
  if (fstat(fd, &listener.file) != 0 || !S_ISFIFO(listener.file.st_mode)) return false;
  listener.fd = fd;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return ::write(fd, &word_joined, 1) == 1;
}

void tell_left() {
  auto& listener = base::state<Listener>();
  if (!is_still(listener)) return;
  (void)!::write(listener.fd, &word_left, 1);
  close(listener.fd);
  listener.fd = -1;
}

}  // namespace armature::bootstrap
