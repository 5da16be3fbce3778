#include "virtual/checkpoint/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/fail.hpp"

namespace armature::checkpoints {

OpenFile open_file(const std::string& path) {
  OpenFile opened;
  base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) {
    opened.error = errno;
    opened.problem = base::system_text(opened.error);
  } else if (!S_ISREG(status.st_mode)) {
    opened.error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    opened.problem = "it is no file";
  } else {
    opened.file = std::move(file);
    opened.bytes = static_cast<std::uint64_t>(status.st_size);
  }
  return opened;
}

}  // namespace armature::checkpoints
