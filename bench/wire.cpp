#include "bench/wire.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <armature/layer.hpp>

namespace armature::bench {

namespace {

void check(bool ok, const char* call) {
  if (!ok) throw std::system_error(errno, std::generic_category(), call);
}

/// The descriptor stays in this process, and a virtual rank may leave it there for a while.
template <class Open>
base::FileDescriptor of_process(Open open) {
  const layer::ProcessMemory memory;
  return base::FileDescriptor(open());
}

}  // namespace

Wire::Wire(World& world) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  base::FileDescriptor end =
      of_process([] { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); });
  check(static_cast<bool>(end), "socket");
  if (world.rank() == 1) {
    check(bind(end.get(), generic, length) == 0 && listen(end.get(), 1) == 0, "listen");
    check(getsockname(end.get(), generic, &length) == 0, "getsockname");
  }
  address.sin_port = broadcast(world, address.sin_port, 1);
  if (world.rank() == 0) {
    check(connect(end.get(), generic, length) == 0, "connect");
    socket_ = std::move(end);
  } else if (world.rank() == 1) {
    socket_ = of_process([&] { return accept4(end.get(), nullptr, nullptr, SOCK_CLOEXEC); });
    check(static_cast<bool>(socket_), "accept");
  }
  const int on = 1;
  if (socket_) setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void Wire::give(const void* from, std::size_t bytes) const { give(from, bytes, MSG_DONTWAIT); }
void Wire::take(void* to, std::size_t bytes) const { take(to, bytes, MSG_DONTWAIT); }

void Wire::give(const void* from, std::size_t bytes, int flags) const {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = ::send(socket_.get(), at, bytes, flags | MSG_NOSIGNAL);
    check(n >= 0 || errno == EAGAIN || errno == EINTR, "send");
    if (n <= 0) continue;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

void Wire::take(void* to, std::size_t bytes, int flags) const {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = ::recv(socket_.get(), at, bytes, flags);
    check(n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)), "recv");
    if (n <= 0) continue;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

bool Wire::has_something() const {
  char byte = 0;
  return ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 1;
}

}  // namespace armature::bench
