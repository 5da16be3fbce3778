#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engines/ofi/fabric.hpp"

namespace armature::transport {

/// The key of memory of another process, and how its bytes are named to libfabric.
struct OfiKey {
  std::uint64_t key = 0;
  std::uint64_t base = 0;  // is subtracted from addresses
};

/// Memory of this process that others may reach by libfabric, and the keys of others' memory.
class OfiRemoteMemory {
 public:
  explicit OfiRemoteMemory(const OfiFabric& fabric) : fabric_(fabric) {}
  OfiRemoteMemory(const OfiRemoteMemory&) = delete;
  OfiRemoteMemory& operator=(const OfiRemoteMemory&) = delete;
  ~OfiRemoteMemory() = default;

  /// Registers memory. Returns its key for others, or nothing.
  [[nodiscard]] std::vector<std::byte> register_here(std::span<std::byte> memory);
  void unregister(std::span<std::byte> memory);
  /// Returns the key that another process has packed; nullptr when it is none.
  [[nodiscard]] const OfiKey* take_key(std::span<const std::byte> packed);
  void forget_key(const void* key);
  /// Gives all registrations and keys up, before the domain is closed.
  void forget_all();

 private:
  const OfiFabric& fabric_;
  std::map<const std::byte*, fid_mr*> registered_;  // by where it begins
  std::uint64_t last_key_ = 0;                      // that was asked for
  std::vector<std::unique_ptr<OfiKey>> keys_;
};

}  // namespace armature::transport
