#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rdma/fi_domain.h>

#include "engines/ofi/operation.hpp"

namespace armature::transport {

class OfiFabric;
struct OfiPeer;

/// A buffer that libfabric sends from or receives to.
struct OfiBuffer : OfiOperation {
  std::unique_ptr<std::byte[]> memory;
  std::size_t bytes = 0;
  std::size_t place = 0;  // among all
  fid_mr* registration = nullptr;
  OfiPeer* to = nullptr;  // whom it is sent to; nullptr: it receives

  [[nodiscard]] void* descriptor() const {
    return registration == nullptr ? nullptr : fi_mr_desc(registration);
  }
};

/// The buffers of an engine, made when they are needed, and used again: small ones for what is
/// small, and those of the length that others receive. A bounded number is kept unused.
class OfiBuffers {
 public:
  explicit OfiBuffers(OfiFabric& fabric) : fabric_(fabric) {}
  OfiBuffers(const OfiBuffers&) = delete;
  OfiBuffers& operator=(const OfiBuffers&) = delete;
  ~OfiBuffers() = default;

  void set_length(std::size_t bytes) { bytes_ = bytes; }
  [[nodiscard]] std::size_t length() const { return bytes_; }
  /// Takes one for so many bytes, up to the length. Returns nullptr when memory cannot be
  /// registered.
  [[nodiscard]] OfiBuffer* take(std::size_t bytes);
  void give_back(OfiBuffer& buffer);
  /// Before the domain is closed.
  void unregister();

 private:
  static constexpr std::size_t small_bytes = 4096;
  static constexpr std::size_t small_kept_max = 1024;  // 4 MiB
  static constexpr std::size_t kept_max = 64;          // 16 MiB

  [[nodiscard]] OfiBuffer* make(std::size_t bytes);
  void destroy(OfiBuffer& buffer);

  OfiFabric& fabric_;
  std::size_t bytes_ = 0;
  std::vector<std::unique_ptr<OfiBuffer>> all_;
  std::vector<OfiBuffer*> free_, free_small_;  // the last that was given back is in the caches
};

}  // namespace armature::transport
