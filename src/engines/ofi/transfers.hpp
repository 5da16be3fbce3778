#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <rdma/fi_domain.h>

#include "engines/engine.hpp"
#include "engines/ofi/fabric.hpp"
#include "engines/ofi/operation.hpp"
#include "engines/ofi/remote_memory.hpp"

namespace armature::transport {

struct OfiPeer;

/// A put or get by libfabric itself, of one run of bytes. libfabric reads and writes the caller's
/// memory, until it tells that the transfer has ended: there is no way to take it back.
struct OfiTransfer : OfiOperation {
  OfiPeer* with = nullptr;
  bool is_put = false;
  OfiKey key;  // a copy: the caller may forget it when all transfers with it have ended
  Engine::Run run{};
  std::uint64_t token = 0;
  fid_mr* local = nullptr;  // where the provider wants to know the memory here
};

/// The transfers of an engine, made when they are needed, and used again.
class OfiTransfers {
 public:
  explicit OfiTransfers(const OfiFabric& fabric) : fabric_(fabric) {}
  OfiTransfers(const OfiTransfers&) = delete;
  OfiTransfers& operator=(const OfiTransfers&) = delete;
  ~OfiTransfers() = default;

  /// Returns nullptr where the memory here cannot be registered.
  [[nodiscard]] OfiTransfer* make(OfiPeer& with, bool is_put, const OfiKey& key,
                                  const Engine::Run& run, std::uint64_t token);
  /// Hands it to libfabric. Returns 0, or -FI_EAGAIN, or what is wrong.
  [[nodiscard]] long begin(OfiTransfer& transfer) const;
  /// The transfer has ended, or will not begin.
  void end(OfiTransfer& transfer);
  /// Gives all registrations up, before the domain is closed and when libfabric does nothing any
  /// more.
  void unregister();

 private:
  const OfiFabric& fabric_;
  std::vector<std::unique_ptr<OfiTransfer>> all_;
  std::vector<OfiTransfer*> free_;
};

}  // namespace armature::transport
