#pragma once

#include <span>
#include <string>

#include <ucp/api/ucp.h>

#include "engines/engine.hpp"

namespace armature::transport {

/// The settings of a context. What the user has set by a variable of UCX's own stays, except where
/// one of ours says it, too: that is about this job alone.
class UcxConfig {
 public:
  explicit UcxConfig(const EngineOptions& options) : options_(options) {}
  UcxConfig(const UcxConfig&) = delete;
  UcxConfig& operator=(const UcxConfig&) = delete;
  ~UcxConfig() {
    if (config_ != nullptr) ucp_config_release(config_);
  }

  /// Reads UCX's settings and adds which transports it may choose from. Returns an error text, or
  /// "".
  [[nodiscard]] std::string read();
  /// Confines it to the interface of the options, if there is one. Network cards among `found`, as
  /// UCX calls transports, are added where the user has not asked for that interface alone.
  void confine(std::span<const std::string> found);
  /// Sets how messages travel over such transports.
  void tune(std::span<const std::string> found);
  [[nodiscard]] const ucp_config_t* get() const { return config_; }

  /// Whether there is an environment variable "UCX_" and this.
  [[nodiscard]] static bool user_has_set(const std::string& name);
  /// The interfaces to which it is confined, or "".
  [[nodiscard]] std::string devices() const;
  /// "interface lo, UCX_TLS=posix": what confines UCX, for errors.
  [[nodiscard]] std::string summary() const;
  /// Returns why a transport that the machine has is not among those that are offered.
  [[nodiscard]] std::string why_left_out(const std::string& transport,
                                         std::span<const std::string> offered) const;

 private:
  void set(const char* name, const std::string& value);
  void set_for_tcp(const char* name, std::size_t value);

  EngineOptions options_;
  ucp_config_t* config_ = nullptr;
  std::string devices_;
};

[[nodiscard]] std::string failure(const char* call, ucs_status_t status);

}  // namespace armature::transport
