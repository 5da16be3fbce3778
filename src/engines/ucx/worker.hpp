#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ucp/api/ucp.h>

#include "engines/engine.hpp"
#include "engines/ucx/config.hpp"

namespace armature::transport {

/// UCX's context and worker: what UCX is told of the network, and what it finds there.
class UcxWorker {
 public:
  UcxWorker() = default;
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;
  ~UcxWorker() {
    close();
    if (context_ != nullptr) ucp_cleanup(context_);
  }

  /// Returns an error text, or "".
  [[nodiscard]] std::string open(const EngineOptions& options);
  /// Ends the worker, before memory that it may use is unmapped from the context.
  void close();

  [[nodiscard]] ucp_context_h context() const { return context_; }
  [[nodiscard]] ucp_worker_h worker() const { return worker_; }
  [[nodiscard]] const char* description() const { return description_.c_str(); }
  /// All transports of the machine, and why that endpoint uses them or not.
  [[nodiscard]] std::vector<Transport> transports(ucp_ep_h endpoint) const;
  [[nodiscard]] std::span<const std::byte> address() const {
    return {reinterpret_cast<const std::byte*>(address_), address_bytes_};
  }
  /// Readable when the worker has something to do.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_one_sided() const { return is_one_sided_; }
  [[nodiscard]] bool has_rdma() const { return has_rdma_; }
  /// Memory that is registered is UCX's own.
  [[nodiscard]] bool allocates() const { return allocates_; }
  /// Messages are sent eagerly, unless a program has asked UCX for rendezvous.
  [[nodiscard]] bool always_eager() const { return always_eager_; }

 private:
  std::string open_context(EngineOptions::OneSided one_sided);
  std::string open_worker();
  void describe();

  std::string description_;
  std::unique_ptr<UcxConfig> config_;
  std::vector<std::string> offered_;  // transports from which UCX chooses
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_address_t* address_ = nullptr;
  std::size_t address_bytes_ = 0;
  int descriptor_ = -1;
  bool is_one_sided_ = false;
  bool has_rdma_ = false;
  bool allocates_ = false;
  bool always_eager_ = true;
};

}  // namespace armature::transport
