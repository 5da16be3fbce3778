#include "bootstrap/end_with_launcher.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/file_descriptor.hpp"

namespace armature::bootstrap {
namespace {

/// False where it cannot be: without /proc, or where another user owns the pipe.
bool end_with_last_writer(int pipe) {
  // Opened anew, since whom it signals is of the open file, which all processes have inherited.
  const std::string path = "/proc/self/fd/" + std::to_string(pipe);
  base::FileDescriptor own(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!own || fcntl(own.get(), F_SETSIG, SIGKILL) != 0 ||
      fcntl(own.get(), F_SETOWN, getpid()) != 0 ||
      fcntl(own.get(), F_SETFL, O_NONBLOCK | O_ASYNC) != 0)
    return false;
  char nothing = 0;
  if (read(own.release(), &nothing, 1) == 0) raise(SIGKILL);  // nobody was left to be waited for
  return true;
}

}  // namespace

void end_with_launcher(int launcher_fd, pid_t launcher) {
  const base::FileDescriptor pipe(launcher_fd);
  if (launcher_fd >= 0 && end_with_last_writer(launcher_fd)) return;
  // The process ends with the script that has started us, then, which dies with the launcher.
  if (getppid() != launcher) prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace armature::bootstrap
