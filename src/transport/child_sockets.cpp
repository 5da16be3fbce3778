// A peer sees that this process has died when its sockets are closed: by all who have them. UCX and
// libfabric leave them open in what the program starts, and a child of fork has them in any case.
// So they are closed there.
//
// An engine does not say which they are: they are what the descriptor that it is waited for with
// watches, and what these watch. The kernel tells that (proc(5), fdinfo), in a child of fork, too,
// where nothing may be allocated.
#include "transport/child_sockets.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cstddef>
#include <cstdio>

namespace armature::transport {
namespace {

/// The numbers in a file's lines "tfd: NUMBER ...".
class WatchedBy {
 public:
  explicit WatchedBy(int descriptor) {
    char path[48];
    (void)std::snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
    file_ = open(path, O_RDONLY | O_CLOEXEC);
  }
  WatchedBy(const WatchedBy&) = delete;
  WatchedBy& operator=(const WatchedBy&) = delete;
  ~WatchedBy() {
    if (file_ >= 0) close(file_);
  }

  /// -1 when there is none left.
  int next() {
    constexpr char key[] = "tfd:";
    for (std::size_t found = 0; found < sizeof key - 1;) {
      const int c = get();
      if (c < 0) return -1;
      found = c == key[found] ? found + 1 : c == key[0] ? 1 : 0;
    }
    int number = 0, c = get();
    while (c == ' ' || c == '\t') c = get();
    for (; c >= 0 && std::isdigit(c) != 0; c = get()) number = number * 10 + (c - '0');
    return number;
  }

 private:
  int get() {
    if (at_ == bytes_) {
      const ssize_t got = file_ < 0 ? 0 : read(file_, text_, sizeof text_);
      at_ = 0;
      bytes_ = got > 0 ? static_cast<std::size_t>(got) : 0;
      if (bytes_ == 0) return -1;
    }
    return static_cast<unsigned char>(text_[at_++]);
  }

  int file_ = -1;
  char text_[512] = {};
  std::size_t at_ = 0, bytes_ = 0;
};

bool is_socket(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode);
}

/// f(socket) for all that it watches, directly or through others.
template <class F>
void for_each_socket(int descriptor, int levels, F f) {
  WatchedBy watched(descriptor);
  for (int one = watched.next(); one >= 0; one = watched.next())
    if (is_socket(one))
      f(one);
    else if (levels > 1)
      for_each_socket(one, levels - 1, f);
}

constexpr int levels_max = 4;
// The descriptor of the engine that is open. Relaxed, as runtimes of one process open at once.
constinit std::atomic<int> waited_for = -1;

void close_in_child() {
  const int descriptor = waited_for.load(std::memory_order_relaxed);
  if (descriptor >= 0) for_each_socket(descriptor, levels_max, [](int socket) { close(socket); });
}

}  // namespace

void keep_sockets_from_children(int descriptor) {
  if (descriptor < 0) return;
  for_each_socket(descriptor, levels_max, [](int socket) {
    const int flags = fcntl(socket, F_GETFD);
    if (flags >= 0) (void)fcntl(socket, F_SETFD, flags | FD_CLOEXEC);
  });
  if (waited_for.exchange(descriptor, std::memory_order_relaxed) == -1)
    (void)pthread_atfork(nullptr, nullptr, close_in_child);
}

void forget_sockets() { waited_for.store(-1, std::memory_order_relaxed); }

}  // namespace armature::transport
