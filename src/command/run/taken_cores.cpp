#include "command/run/taken_cores.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace armature::command {

/// False when somebody else has it.
bool TakenCores::take(const Core& core) {
  if (core.empty()) return true;
  const std::string name = name_ + std::to_string(core.front());
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};  // begins with 0: no file
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  base::FileDescriptor mark(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!mark) return true;
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (bind(mark.get(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0)
    return errno != EADDRINUSE;
  marks_.push_back(std::move(mark));
  return true;
}

std::vector<Core> TakenCores::take(const std::vector<Core>& cores, std::size_t wanted) {
  std::vector<Core> free, others;
  for (const Core& core : cores)
    (free.size() < wanted && take(core) ? free : others).push_back(core);
  free.insert(free.end(), others.begin(), others.end());
  return free;
}

}  // namespace armature::command
