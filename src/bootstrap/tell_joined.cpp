#include "bootstrap/tell_joined.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace armature::bootstrap {

bool tell_joined() {
  const char* const text = std::getenv(joined_variable);
  if (text == nullptr) return false;
  const int fd = std::atoi(text);
  unsetenv(joined_variable);  // a program that this one starts has nothing to tell
  struct stat about {};
  // Where inherited files were closed on the way, the number may be another file's by now.
  if (fstat(fd, &about) != 0 || !S_ISFIFO(about.st_mode)) return false;
  const bool heard = write(fd, "j", 1) == 1;
  close(fd);
  return heard;
}

}  // namespace armature::bootstrap
