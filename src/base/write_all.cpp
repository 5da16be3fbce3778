#include "base/write_all.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace armature::base {
namespace {

/// `write` is given what is left, and how much has been written.
template <class Write>
bool repeat(const void* data, std::size_t bytes, Write&& write) {
  const auto* const from = static_cast<const char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = write(from + done, bytes - done, done);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

bool write_all(int file, const void* data, std::size_t bytes) {
  return repeat(data, bytes, [file](const char* from, std::size_t left, std::size_t /*done*/) {
    const ssize_t n = write(file, from, left);
    if (n >= 0 || errno != EAGAIN) return n;
    // Others, who have it open too, may have made it non-blocking.
    pollfd writable{file, POLLOUT, 0};
    poll(&writable, 1, -1);
    errno = EINTR;
    return n;
  });
}

bool write_all_at(int file, const void* data, std::size_t bytes, std::uint64_t offset) {
  return repeat(data, bytes, [&](const char* from, std::size_t left, std::size_t done) {
    return pwrite(file, from, left, static_cast<off_t>(offset + done));
  });
}

}  // namespace armature::base
