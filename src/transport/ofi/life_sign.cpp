#include "transport/ofi/life_sign.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/clock.hpp"

namespace armature::transport {

bool LifeSign::is_gone() {
  constexpr std::uint64_t pause_ns = 200'000'000;
  const std::uint64_t now_ns = base::now_of_machine_ns();
  if (next_ns_ == 0) next_ns_ = now_ns + pause_ns;
  if (attempt_) return is_refused();
  if (now_ns < next_ns_) return false;
  next_ns_ = now_ns + pause_ns;
  return begin() == ECONNREFUSED;
}

void LifeSign::forget() {
  next_ns_ = 0;
  attempt_ = base::FileDescriptor();
}

/// Begins an attempt. Returns the error with which it has failed at once, or 0.
int LifeSign::begin() {
  if (name_.size() < sizeof(sockaddr)) return 0;
  const auto* const name = reinterpret_cast<const sockaddr*>(name_.data());
  base::FileDescriptor attempt(
      socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!attempt) return 0;
  if (connect(attempt.get(), name, static_cast<socklen_t>(name_.size())) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  attempt_ = std::move(attempt);
  return 0;
}

/// Whether the attempt has been refused. One that has ended otherwise is over.
bool LifeSign::is_refused() {
  pollfd ready{attempt_.get(), POLLOUT, 0};
  if (poll(&ready, 1, 0) <= 0) return false;
  int error = 0;
  socklen_t bytes = sizeof error;
  if (getsockopt(attempt_.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) error = 0;
  attempt_ = base::FileDescriptor();
  return error == ECONNREFUSED;
}

}  // namespace armature::transport
