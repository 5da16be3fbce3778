#include "engines/ofi/life_lines.hpp"

#include <netinet/in.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace armature::transport {
namespace {

/// An address of sockets, of which the port can be changed.
class SocketName {
 public:
  explicit SocketName(std::span<const std::byte> bytes)
      : bytes_(static_cast<socklen_t>(std::min(bytes.size(), sizeof storage_))) {
    std::memcpy(&storage_, bytes.data(), bytes_);
  }
  void set_port(std::uint64_t port) {
    const auto number = htons(static_cast<std::uint16_t>(port));
    if (storage_.ss_family == AF_INET)
      reinterpret_cast<sockaddr_in*>(&storage_)->sin_port = number;
    else
      reinterpret_cast<sockaddr_in6*>(&storage_)->sin6_port = number;
  }
  [[nodiscard]] std::uint64_t port() const {
    return ntohs(storage_.ss_family == AF_INET
                     ? reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port
                     : reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  }
  /// The address without the port.
  [[nodiscard]] std::string host() const {
    SocketName without(*this);
    without.set_port(0);
    return {reinterpret_cast<const char*>(&without.storage_), bytes_};
  }
  [[nodiscard]] base::FileDescriptor new_socket() const {
    return base::FileDescriptor(
        socket(storage_.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t bytes() const { return bytes_; }
  [[nodiscard]] socklen_t& bytes() { return bytes_; }

 private:
  sockaddr_storage storage_{};
  socklen_t bytes_;
};

/// Whether a connection that stood ends so when a process does, and not by trouble of the
/// network's.
bool tells_of_death(int error) { return error == 0 || error == ECONNRESET || error == EPIPE; }

bool stands(const base::FileDescriptor& line) {
  sockaddr_storage peer;
  socklen_t bytes = sizeof peer;
  return getpeername(line.get(), reinterpret_cast<sockaddr*>(&peer), &bytes) == 0;
}

}  // namespace

std::string LifeLines::open(std::span<const std::byte> endpoint) {
  const auto problem = [](const char* call) {
    return std::string(call) + ": " + std::strerror(errno);
  };
  watched_ = base::FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  if (!watched_) return problem("epoll_create1");
  if (endpoint.empty()) return {};
  SocketName name(endpoint);
  name.set_port(0);
  listener_ = name.new_socket();
  constexpr int as_many_as_the_kernel_keeps = 1 << 16;
  if (!listener_ || bind(listener_.get(), name.get(), name.bytes()) != 0 ||
      listen(listener_.get(), as_many_as_the_kernel_keeps) != 0 ||
      getsockname(listener_.get(), name.get(), &name.bytes()) != 0)
    return problem("a port to be watched at");
  port_ = name.port();
  reached_.insert(name.host());
  // Nothing is expected of it; what is watched is closed in children (child_sockets.hpp).
  epoll_event nothing{.events = 0, .data = {.fd = -1}};
  if (epoll_ctl(watched_.get(), EPOLL_CTL_ADD, listener_.get(), &nothing) != 0)
    return problem("epoll_ctl");
  return {};
}

void LifeLines::watch(int number, std::span<const std::byte> endpoint, std::uint64_t port) {
  forget(number);
  if (port == 0 || endpoint.empty()) return;
  SocketName name(endpoint);
  name.set_port(port);
  base::FileDescriptor line = name.new_socket();
  if (!line) return;  // the links' signs of life remain
  const int status = connect(line.get(), name.get(), name.bytes());
  const bool is_refused = status != 0 && errno == ECONNREFUSED;
  if (status != 0 && errno != EINPROGRESS && !is_refused) return;
  epoll_event ended{.events = EPOLLIN | EPOLLRDHUP, .data = {.fd = number}};
  if (epoll_ctl(watched_.get(), EPOLL_CTL_ADD, line.get(), &ended) == 0)
    lines_[number] = {std::move(line), name.host(), is_refused};
}

/// Takes it out of what is watched by itself: a child that has not called exec yet may still have
/// the socket, and then closing it here does not.
void LifeLines::forget(int number) {
  const auto found = lines_.find(number);
  if (found == lines_.end()) return;
  (void)epoll_ctl(watched_.get(), EPOLL_CTL_DEL, found->second.socket.get(), nullptr);
  lines_.erase(found);
}

/// A refusal tells of a process that is gone, or of a firewall.
bool LifeLines::is_death(const Line& line) {
  int error = 0;
  socklen_t bytes = sizeof error;
  (void)getsockopt(line.socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (line.is_refused || error == ECONNREFUSED) return is_reached(line.host);
  if (!tells_of_death(error)) return false;
  reached_.insert(line.host);
  return true;
}

bool LifeLines::is_reached(const std::string& host) const {
  return reached_.contains(host) || std::ranges::any_of(lines_, [&](const auto& one) {
           return one.second.host == host && stands(one.second.socket);
         });
}

std::vector<int> LifeLines::look() {
  std::vector<int> died;
  epoll_event events[16];
  const int count = epoll_wait(watched_.get(), events, static_cast<int>(std::size(events)), 0);
  for (int i = 0; i < count; ++i) {
    const int number = events[i].data.fd;
    const auto found = lines_.find(number);
    if (found == lines_.end()) continue;
    if (is_death(found->second)) died.push_back(number);
    forget(number);
  }
  return died;
}

}  // namespace armature::transport
