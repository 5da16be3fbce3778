#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include <ucp/api/ucp.h>

#include "engines/ucx/worker.hpp"

namespace armature::transport {

/// Memory of this process that is registered with UCX, and the keys (rkeys) of others' memory.
class UcxRemoteMemory {
 public:
  explicit UcxRemoteMemory(const UcxWorker& worker) : worker_(worker) {}
  UcxRemoteMemory(const UcxRemoteMemory&) = delete;
  UcxRemoteMemory& operator=(const UcxRemoteMemory&) = delete;
  ~UcxRemoteMemory() = default;

  /// Registers memory; its key for others, or nothing.
  [[nodiscard]] std::vector<std::byte> register_here(std::span<std::byte> memory);
  void unregister(std::span<std::byte> memory);
  /// The key that is made of what another process has said; nullptr: there is none.
  [[nodiscard]] ucp_rkey_h take_key(ucp_ep_h from, std::span<const std::byte> packed);
  void destroy_key(ucp_rkey_h key);
  /// Before the worker ends, and after it.
  void destroy_keys();
  void unregister_all();

 private:
  const UcxWorker& worker_;
  std::map<const std::byte*, ucp_mem_h> registered_;  // by where it begins
  std::vector<ucp_rkey_h> keys_;
};

}  // namespace armature::transport
