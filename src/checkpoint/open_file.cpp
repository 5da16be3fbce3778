#include "checkpoint/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::checkpoints {

OpenFile open_file(const std::string& path) {
  OpenFile opened;
  base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  // A file on which somebody has a lease, as file servers do, who lets it go in time.
  if (!file && errno == EWOULDBLOCK)
    file = base::FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

std::size_t read_up_to(const base::FileDescriptor& file, void* to, std::size_t bytes_max,
                       const std::string& path) {
  auto* const at = static_cast<char*>(to);
  std::size_t bytes = 0;
  while (bytes < bytes_max) {
    const ssize_t n = ::read(file.get(), at + bytes, bytes_max - bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      base::fail(Errc::corrupt,
                 fmt::format("{} cannot be read: {}", path, base::system_text(errno)));
    if (n == 0) break;
    bytes += static_cast<std::size_t>(n);
  }
  return bytes;
}

}  // namespace armature::checkpoints
