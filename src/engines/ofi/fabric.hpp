#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "engines/engine.hpp"

namespace armature::transport {

/// libfabric's objects of one process: the provider that was chosen, and an endpoint over it that
/// reaches any number of others.
class OfiFabric {
 public:
  OfiFabric() = default;
  OfiFabric(const OfiFabric&) = delete;
  OfiFabric& operator=(const OfiFabric&) = delete;
  ~OfiFabric() { close(); }

  /// Returns an error text, or "".
  [[nodiscard]] std::string open(const EngineOptions& options);
  /// It neither reads nor writes memory from now on.
  void close_endpoint();
  void close();

  [[nodiscard]] const char* description() const { return description_.c_str(); }
  [[nodiscard]] fid_ep* endpoint() const { return endpoint_; }
  [[nodiscard]] fid_cq* completions() const { return completions_; }
  [[nodiscard]] fid_av* addresses() const { return addresses_; }
  /// Readable when there may be completions.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Whether one may sleep on the descriptor now.
  [[nodiscard]] bool may_sleep() const;
  /// Others reach it by the same provider alone.
  [[nodiscard]] std::string provider() const { return info_->fabric_attr->prov_name; }
  /// The name of the endpoint, in the provider's format.
  [[nodiscard]] std::span<const std::byte> name() const { return name_; }
  /// Whether names are addresses of sockets.
  [[nodiscard]] bool has_socket_names() const {
    return info_->addr_format == FI_SOCKADDR_IN || info_->addr_format == FI_SOCKADDR_IN6;
  }
  /// Registers memory that this process itself uses in that way (FI_SEND, ...); nullptr where the
  /// provider needs no such thing. Sets `problem` when it cannot.
  [[nodiscard]] fid_mr* register_own(std::span<std::byte> memory, std::uint64_t access,
                                     std::string& problem) const;

  /// Whether it has one-sided operations, and was asked for them.
  [[nodiscard]] bool is_one_sided() const { return is_one_sided_; }
  /// Whether a card does them.
  [[nodiscard]] bool has_card() const;
  /// Registers memory that others reach, by that key unless the provider chooses keys; nullptr when
  /// it cannot.
  [[nodiscard]] fid_mr* register_for_others(std::span<std::byte> memory, std::uint64_t key) const;
  /// Whether others name bytes of it by their addresses, not by their places.
  [[nodiscard]] bool names_addresses() const {
    return (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  }

  /// All that libfabric finds on this machine, and what was taken.
  [[nodiscard]] std::vector<Transport> transports() const;

 private:
  std::string choose(const EngineOptions& options);
  std::string choose(const EngineOptions& options, bool one_sided);
  std::string open_endpoint();

  EngineOptions options_;
  std::map<std::string, std::string> refused_;  // what did not open, and why
  std::string description_;
  std::vector<std::byte> name_;
  fi_info* info_ = nullptr;
  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_cq* completions_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  int descriptor_ = -1;
  bool is_one_sided_ = false;
};

}  // namespace armature::transport
