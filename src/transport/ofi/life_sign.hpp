#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/file_descriptor.hpp"

namespace armature::transport {

/// Finds out whether a process still listens at the address of its endpoint. libfabric lets nothing
/// be sent to a process that is gone, and never says why: a connection that is refused does.
class LifeSign {
 public:
  explicit LifeSign(std::span<const std::byte> socket_name)
      : name_(socket_name.begin(), socket_name.end()) {}

  /// Nothing could be sent to it: whether it is known to be gone. To be asked again and again; it
  /// looks a few times a second, and does not wait.
  [[nodiscard]] bool is_gone();
  /// Something could be sent again.
  void forget();

 private:
  [[nodiscard]] int begin();
  [[nodiscard]] bool is_refused();

  std::vector<std::byte> name_;
  base::FileDescriptor attempt_;
  std::uint64_t next_ns_ = 0;  // when it looks; 0: nothing is wrong
};

}  // namespace armature::transport
