// UCX chooses the transports. It is told which make no sense between nodes, which interface the
// nodes share, and how long messages are.
#include "engines/ucx/config.hpp"

#include <algorithm>
#include <cstdlib>

#include "engines/ucx/printed.hpp"

namespace armature::transport {
namespace {

// A message that fits a segment is handed to us where it was received; a longer one is put together
// in a buffer first, which cost a put of 1 MiB a quarter of its time. So what the links lend (252
// KiB and its head) fits one; UCX's own choice is 64 KiB with all heads to receive, 8 KiB to send.
constexpr std::size_t segment = std::size_t{256} * 1024;

// All but those that stay within a node, where memory is mapped, and those that copy memory of
// accelerators, which is not sent (docs/decisions/ucx-transports.md). UCX passes over names that
// it does not know.
constexpr const char* between_nodes = "^shm,self,cuda,rocm,ze";
constexpr const char* within_nodes[] = {"self", "sysv", "posix", "cma", "knem", "xpmem"};

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

bool is_tcp(const std::string& transport) { return printed::kind_of(transport) == "tcp"; }

bool is_within_node(const std::string& transport) {
  return std::ranges::find(within_nodes, printed::kind_of(transport)) != std::end(within_nodes);
}

}  // namespace

bool UcxConfig::user_has_set(const std::string& name) {
  return std::getenv(("UCX_" + name).c_str()) != nullptr;
}

void UcxConfig::set(const char* name, const std::string& value) {
  (void)ucp_config_modify(config_, name, value.c_str());
}

std::string UcxConfig::read() {
  const ucs_status_t status = ucp_config_read(nullptr, nullptr, &config_);
  if (status != UCS_OK) return failure("ucp_config_read", status);
  if (!options_.interfaces.empty())
    set("TLS", options_.interfaces);
  else if (!user_has_set("TLS"))
    set("TLS", between_nodes);
  if (options_.device_alone) confine({});
  return {};
}

// Cards have other names than the interface whose subnet the nodes share.
void UcxConfig::confine(std::span<const std::string> found) {
  if (options_.device.empty() || (user_has_set("NET_DEVICES") && !options_.device_alone)) return;
  devices_ = options_.device;
  if (!options_.device_alone)
    for (const std::string& one : found)
      if (!is_tcp(one) && !is_within_node(one) &&
          devices_.find(printed::device_of(one)) == std::string::npos)
        devices_ += "," + printed::device_of(one);
  set("NET_DEVICES", devices_);
}

// UCX versions differ in whether a transport's setting has the transport's name in front.
void UcxConfig::set_for_tcp(const char* name, std::size_t value) {
  const std::string full = std::string("TCP_") + name;
  if (user_has_set(full)) return;
  set(name, std::to_string(value));
  set(full.c_str(), std::to_string(value));
}

void UcxConfig::tune(std::span<const std::string> found) {
  for (const char* const name : {"TX_SEG_SIZE", "RX_SEG_SIZE"})
    set_for_tcp(name, options_.segment != 0 ? options_.segment : segment);
  // One socket at a look. Of several that it has found ready UCX 1.13 still looks at each when what
  // it has received from one was answered by a word to another, whose peer is gone: that closes it,
  // and then ends the process.
  set_for_tcp("MAX_POLL", 1);
  // Over TCP, UCX copies what it sends. Where it sends from our memory, 1.13 ends the process when
  // the peer dies between UCX's look at a socket and its write: it completes that send twice. In
  // whole segments the copy costs nothing that can be measured.
  if (std::ranges::all_of(found, is_tcp) && !user_has_set("ZCOPY_THRESH"))
    set("ZCOPY_THRESH", "inf");
  if (!user_has_set("RNDV_THRESH")) set("RNDV_THRESH", "inf");
}

std::string UcxConfig::devices() const {
  return devices_.empty() ? variable("UCX_NET_DEVICES") : devices_;
}

std::string UcxConfig::summary() const {
  std::string text = "interface " + (devices().empty() ? "any" : devices());
  if (!options_.interfaces.empty()) return text + ", transports " + options_.interfaces;
  return user_has_set("TLS") ? text + ", UCX_TLS=" + variable("UCX_TLS") : text;
}

std::string UcxConfig::why_left_out(const std::string& transport,
                                    std::span<const std::string> offered) const {
  const std::string kind = printed::kind_of(transport);
  const bool has_kind = std::ranges::any_of(
      offered, [&](const std::string& one) { return printed::kind_of(one) == kind; });
  if (has_kind)
    return options_.device_alone ? "ARMATURE_NET_DEVICE says otherwise"
           : devices_.empty()    ? "UCX_NET_DEVICES=" + devices() + " says otherwise"
                                 : "another interface is used";
  if (!options_.interfaces.empty())
    return "ARMATURE_NET_TRANSPORTS=" + options_.interfaces + " says otherwise";
  if (user_has_set("TLS")) return "UCX_TLS=" + variable("UCX_TLS") + " says otherwise";
  if (is_within_node(transport)) return "it stays within a node, where memory is mapped";
  return options_.device_alone ? "ARMATURE_NET_DEVICE says otherwise"
                               : "it carries no messages between nodes";
}

}  // namespace armature::transport
