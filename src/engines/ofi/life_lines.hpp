#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace armature::transport {

/// Finds out that a process has died, which libfabric does not tell: it lets nothing be sent to one
/// that is gone, and does not say why.
///
/// Each process listens at a port of its own and accepts nobody. Whoever wants to hear of its death
/// connects: the kernel completes that, and resets all such connections when the process is gone.
/// So they take no descriptor at the process that is watched, and strangers learn and do nothing.
/// A connection that is refused tells of death only where others to the same host were not: else a
/// firewall may be what refuses it.
class LifeLines {
 public:
  /// Listens at the address of the process's endpoint; where that is none of sockets, nobody can
  /// watch it. Returns an error text, or "".
  [[nodiscard]] std::string open(std::span<const std::byte> endpoint);
  /// Tells others how to watch this process; 0: they cannot.
  [[nodiscard]] std::uint64_t port() const { return port_; }
  /// Readable when a process may have died.
  [[nodiscard]] int descriptor() const { return watched_.get(); }

  /// Watches the process with that number from now on, instead of one that had it before.
  void watch(int number, std::span<const std::byte> endpoint, std::uint64_t port);
  void forget(int number);
  /// Returns the numbers of those that have died since, each once.
  [[nodiscard]] std::vector<int> look();

 private:
  struct Line {
    base::FileDescriptor socket;
    std::string host;
    bool is_refused = false;  // at once
  };

  [[nodiscard]] bool is_death(const Line& line);
  [[nodiscard]] bool is_reached(const std::string& host) const;

  std::uint64_t port_ = 0;
  base::FileDescriptor listener_, watched_;
  std::map<int, Line> lines_;
  std::set<std::string> reached_;  // hosts to which a connection has stood, and this one
};

}  // namespace armature::transport
