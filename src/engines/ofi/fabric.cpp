// libfabric's providers, of which one is chosen, and the objects of an endpoint.
#include "engines/ofi/fabric.hpp"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <rdma/fi_errno.h>

namespace armature::transport {
namespace {

// Providers that complete what is not done, crash, or do nothing while the target computes, as of
// version 1.17 (docs/decisions/libfabric.md).
constexpr const char* unfit[] = {"shm", "net", "net;ofi_rxm", "udp", "udp;ofi_rxd", "sockets"};

bool is_unfit(std::string_view provider) {
  for (const char* const one : unfit)
    if (provider == one) return true;
  return provider.starts_with("ofi_hook") || provider == "ofi_mrail";
}

std::string name_of(const fi_info& one) {
  return std::string(one.fabric_attr->prov_name) + "/" + one.domain_attr->name;
}

std::string failure(const char* call, long status) {
  return std::string(call) + ": " + fi_strerror(static_cast<int>(-status));
}

template <class Object>
void end(Object*& object) {
  if (Object* const open = std::exchange(object, nullptr)) (void)fi_close(&open->fid);
}

// Providers whose one-sided operations are done by cards. PSM makes them of messages, which the
// target's library takes (fi_psm2(7)).
constexpr const char* with_cards[] = {"verbs", "efa", "cxi", "opx"};

bool is_with_card(std::string_view provider) {
  for (const char* const one : with_cards)
    if (provider == one || provider.starts_with(std::string(one) + ";")) return true;
  return false;
}

/// Finds all that can do what an endpoint must. The list is the caller's to free.
std::string find(const EngineOptions& options, bool one_sided, fi_info*& found) {
  fi_info* const hints = fi_allocinfo();
  if (hints == nullptr) return "fi_allocinfo: no memory";
  hints->ep_attr->type = FI_EP_RDM;
  hints->caps = one_sided ? FI_MSG | FI_RMA : FI_MSG;
  if (one_sided)
    hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;  // it can tell that bytes are there
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  if (!options.interfaces.empty())
    hints->fabric_attr->prov_name = strdup(options.interfaces.c_str());  // freed with the hints
  constexpr std::uint32_t version = FI_VERSION(1, 14);
  const int status = fi_getinfo(version, nullptr, nullptr, 0, hints, &found);
  fi_freeinfo(hints);
  return status == 0 ? std::string() : failure("fi_getinfo", status);
}

bool are_of_one_host(const sockaddr& a, const sockaddr& b) {
  if (a.sa_family != b.sa_family) return false;
  if (a.sa_family == AF_INET)
    return reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(b).sin_addr.s_addr;
  return a.sa_family == AF_INET6 &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6&>(a).sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(b).sin6_addr, sizeof(in6_addr)) == 0;
}

/// Whether an endpoint there has an address of that interface. That of a card is named otherwise:
/// "ib0" is the interface of "mlx5_0".
bool has_address_of(const fi_info& one, const std::string& interface) {
  ifaddrs* all = nullptr;
  if (one.src_addr == nullptr || getifaddrs(&all) != 0) return false;
  bool has = false;
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next)
    has = has || (at->ifa_name == interface && at->ifa_addr != nullptr &&
                  are_of_one_host(*at->ifa_addr, *static_cast<const sockaddr*>(one.src_addr)));
  freeifaddrs(all);
  return has;
}

/// Returns why that one is not taken, or "".
std::string objection(const fi_info& one, const EngineOptions& options) {
  const char* const provider = one.fabric_attr->prov_name;
  const bool users_choice = !options.interfaces.empty() || std::getenv("FI_PROVIDER") != nullptr;
  if (!users_choice && is_unfit(provider)) return "it does not do what is needed";
  const bool is_interface = one.addr_format == FI_SOCKADDR_IN || one.addr_format == FI_SOCKADDR_IN6;
  const bool is_other = !options.device.empty() && options.device != one.domain_attr->name;
  const bool is_left_out =
      options.device_alone || (is_interface && !has_address_of(one, options.device));
  return is_other && is_left_out ? "the interface is " + options.device : std::string();
}

}  // namespace

std::string OfiFabric::open(const EngineOptions& options) {
  options_ = options;
  if (std::string problem = choose(options); !problem.empty())
    return problem + " (interface " + (options.device.empty() ? "any" : options.device) +
           (options.interfaces.empty() ? "" : ", provider " + options.interfaces) + ")";
  const std::uint32_t version = fi_version();
  description_ = "libfabric " + std::to_string(FI_MAJOR(version)) + "." +
                 std::to_string(FI_MINOR(version)) + " over " + info_->fabric_attr->prov_name +
                 " on " + info_->domain_attr->name;
  return {};
}

void OfiFabric::close_endpoint() { end(endpoint_); }

void OfiFabric::close() {
  close_endpoint();
  end(completions_);
  end(addresses_);
  end(domain_);
  end(fabric_);
  if (info_ != nullptr) fi_freeinfo(std::exchange(info_, nullptr));
}

/// One that has one-sided operations, if these are wanted and there is one.
std::string OfiFabric::choose(const EngineOptions& options) {
  using OneSided = EngineOptions::OneSided;
  if (options.one_sided != OneSided::off && choose(options, true).empty()) return {};
  return choose(options, false);
}

/// The first that nothing speaks against and that opens: libfabric has the fastest in front. Some,
/// such as that of EFA, have no descriptor on which one can sleep.
std::string OfiFabric::choose(const EngineOptions& options, bool one_sided) {
  fi_info* found = nullptr;
  if (std::string problem = find(options, one_sided, found); !problem.empty()) return problem;
  const bool with_card_alone =
      one_sided && options.one_sided == EngineOptions::OneSided::where_rdma;
  for (const fi_info* one = found; one != nullptr && info_ == nullptr; one = one->next) {
    if (!objection(*one, options).empty()) continue;
    if (with_card_alone && !is_with_card(one->fabric_attr->prov_name)) continue;
    info_ = fi_dupinfo(one);
    if (info_ == nullptr) break;
    info_->tx_attr->op_flags = 0;  // of messages; a put asks for delivery by itself
    is_one_sided_ = one_sided;
    const std::string problem = open_endpoint();
    if (problem.empty()) continue;
    refused_.emplace(name_of(*one), problem);
    close();
  }
  fi_freeinfo(found);
  if (info_ != nullptr) return {};
  if (refused_.empty()) return "libfabric has no provider for it";
  const auto& [name, problem] = *refused_.begin();
  return name + ": " + problem;
}

std::string OfiFabric::open_endpoint() {
  int status = fi_fabric(info_->fabric_attr, &fabric_, nullptr);
  if (status != 0) return failure("fi_fabric", status);
  status = fi_domain(fabric_, info_, &domain_, nullptr);
  if (status != 0) return failure("fi_domain", status);
  fi_av_attr table{};
  table.type = FI_AV_TABLE;
  status = fi_av_open(domain_, &table, &addresses_, nullptr);
  if (status != 0) return failure("fi_av_open", status);
  fi_cq_attr queue{};
  queue.format = FI_CQ_FORMAT_MSG;
  queue.wait_obj = FI_WAIT_FD;
  status = fi_cq_open(domain_, &queue, &completions_, nullptr);
  if (status != 0) return failure("fi_cq_open", status);
  status = fi_control(&completions_->fid, FI_GETWAIT, &descriptor_);
  if (status != 0) return failure("fi_control", status);
  status = fi_endpoint(domain_, info_, &endpoint_, nullptr);
  if (status != 0) return failure("fi_endpoint", status);
  status = fi_ep_bind(endpoint_, &addresses_->fid, 0);
  if (status == 0) status = fi_ep_bind(endpoint_, &completions_->fid, FI_TRANSMIT | FI_RECV);
  if (status != 0) return failure("fi_ep_bind", status);
  status = fi_enable(endpoint_);
  if (status != 0) return failure("fi_enable", status);
  std::size_t bytes = 256;
  name_.resize(bytes);
  status = fi_getname(&endpoint_->fid, name_.data(), &bytes);
  if (status != 0) return failure("fi_getname", status);
  name_.resize(bytes);
  return {};
}

bool OfiFabric::may_sleep() const {
  fid* watched = &completions_->fid;
  return fi_trywait(fabric_, &watched, 1) == FI_SUCCESS;
}

bool OfiFabric::has_card() const { return is_with_card(info_->fabric_attr->prov_name); }

fid_mr* OfiFabric::register_for_others(std::span<std::byte> memory, std::uint64_t key) const {
  fid_mr* registered = nullptr;
  const int status = fi_mr_reg(domain_, memory.data(), memory.size(),
                               FI_REMOTE_READ | FI_REMOTE_WRITE, 0, key, 0, &registered, nullptr);
  return status == 0 ? registered : nullptr;
}

fid_mr* OfiFabric::register_own(std::span<std::byte> memory, std::uint64_t access,
                                std::string& problem) const {
  if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0) return nullptr;
  fid_mr* registered = nullptr;
  const int status =
      fi_mr_reg(domain_, memory.data(), memory.size(), access, 0, 0, 0, &registered, nullptr);
  if (status != 0) problem = failure("fi_mr_reg", status);
  return registered;
}

std::vector<Transport> OfiFabric::transports() const {
  fi_info* all = nullptr;
  EngineOptions any;
  any.interfaces = options_.interfaces;
  if (!find(any, false, all).empty()) return {};
  std::vector<Transport> found;
  const std::string taken = name_of(*info_);
  for (const fi_info* one = all; one != nullptr; one = one->next) {
    const std::string name = name_of(*one);
    bool is_known = false;
    for (const Transport& earlier : found) is_known = is_known || earlier.name == name;
    if (is_known) continue;
    std::string why = objection(*one, options_);
    if (const auto refused = refused_.find(name); refused != refused_.end()) why = refused->second;
    found.push_back({name, name == taken,
                     name == taken ? "chosen: the first that fits"
                     : why.empty() ? "not needed: another one comes first"
                                   : "left out: " + why});
  }
  fi_freeinfo(all);
  return found;
}

}  // namespace armature::transport
