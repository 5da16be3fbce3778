#include "fibers/own_attributes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/process_memory.hpp"

namespace armature::fibers {

void HostAttributes::begin_use() {
  if (are_used_) return;
  const base::ProcessMemory memory;
  directory_ = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  mask_ = umask(0);
  (void)umask(mask_);
  environment_ = environ;
  are_used_ = true;
}

void HostAttributes::leave(const OwnAttributes& of_rank) const {
  const int error = errno;
  if (of_rank.directory != nullptr) (void)fchdir(directory_);
  if (of_rank.has_mask) (void)umask(mask_);
  if (of_rank.environment != nullptr) environ = environment_;
  errno = error;
}

// Another rank has asked for the switch: an error is none of its business.
void HostAttributes::enter(const OwnAttributes& of_rank) const {
  if (of_rank.directory != nullptr && chdir(of_rank.directory) != 0) {
    std::fprintf(stderr, "armature: the working directory of a rank, %s, is not there: %s\n",
                 of_rank.directory, std::strerror(errno));
    _exit(1);
  }
  if (of_rank.has_mask) (void)umask(of_rank.mask);
  if (of_rank.environment != nullptr) environ = of_rank.environment;
}

}  // namespace armature::fibers
