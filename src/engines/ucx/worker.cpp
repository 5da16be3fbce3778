// UCX installs handlers for signals when it is loaded, in place of ours that say who died of what:
// they are taken back at once.
#include "engines/ucx/worker.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <ucs/config/global_opts.h>

#include "engines/ucx/printed.hpp"

extern "C" void ucs_debug_disable_signals();

namespace armature::transport {

std::string failure(const char* call, ucs_status_t status) {
  return std::string(call) + ": " + ucs_status_string(status);
}

namespace {

/// Returns what print(file) writes.
template <class Print>
std::string text_of(Print print) {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const file = open_memstream(&text, &bytes);
  if (file == nullptr) return {};
  print(file);
  std::fclose(file);
  std::string told(text, bytes);
  std::free(text);
  return told;
}

std::string init(const ucp_config_t* config, std::uint64_t features, ucp_context_h& context) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  params.features = features;
  params.name = "armature";
  const ucs_status_t status = ucp_init(&params, config, &context);
  return status == UCS_OK ? std::string() : failure("ucp_init", status);
}

std::vector<std::string> transports_of(ucp_context_h context) {
  return printed::resources(
      text_of([&](std::FILE* file) { ucp_context_print_info(context, file); }));
}

constexpr std::uint64_t messages = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;

}  // namespace

std::string UcxWorker::open(const EngineOptions& options) {
  if (!UcxConfig::user_has_set("LOG_LEVEL")) ucs_global_opts_set_value("LOG_LEVEL", "fatal");
  ucs_debug_disable_signals();
  allocates_ = options.allocates;
  config_ = std::make_unique<UcxConfig>(options);
  std::string problem = config_->read();
  if (problem.empty()) problem = open_context(options.one_sided);
  if (!problem.empty()) return problem + " (" + config_->summary() + ")";
  describe();
  return open_worker();
}

void UcxWorker::close() {
  if (address_ != nullptr) ucp_worker_release_address(worker_, std::exchange(address_, nullptr));
  if (worker_ != nullptr) ucp_worker_destroy(std::exchange(worker_, nullptr));
}

/// A context that only looks, first: how the one that is used is made depends on what there is.
std::string UcxWorker::open_context(EngineOptions::OneSided one_sided) {
  std::string problem = init(config_->get(), messages, context_);
  if (!problem.empty()) return problem;
  const std::vector<std::string> found = transports_of(context_);
  ucp_cleanup(std::exchange(context_, nullptr));
  config_->confine(found);
  config_->tune(found);
  always_eager_ = !UcxConfig::user_has_set("RNDV_THRESH");
  has_rdma_ = std::ranges::any_of(found, printed::is_rdma);
  using OneSided = EngineOptions::OneSided;
  is_one_sided_ = one_sided == OneSided::on || (one_sided == OneSided::where_rdma && has_rdma_);
  problem = init(config_->get(), is_one_sided_ ? messages | UCP_FEATURE_RMA : messages, context_);
  if (problem.empty()) offered_ = transports_of(context_);
  return problem;
}

/// "UCX 1.13 over tcp on lo".
void UcxWorker::describe() {
  unsigned major = 0, minor = 0, release = 0;
  ucp_get_version(&major, &minor, &release);
  std::vector<std::string> kinds;
  for (const std::string& one : offered_) kinds.push_back(printed::kind_of(one));
  const std::string devices = config_->devices();
  description_ = "UCX " + std::to_string(major) + "." + std::to_string(minor) + " over " +
                 printed::joined_once(kinds, ", ") + " on " +
                 (devices.empty() ? "any interface" : devices);
}

/// Compares what UCX finds where nobody confines it with what it was offered, and uses.
std::vector<Transport> UcxWorker::transports(ucp_ep_h endpoint) const {
  ucp_config_t* config = nullptr;
  ucp_context_h all = nullptr;
  if (ucp_config_read(nullptr, nullptr, &config) != UCS_OK) return {};
  (void)ucp_config_modify(config, "TLS", "all");
  (void)ucp_config_modify(config, "NET_DEVICES", "all");
  const std::string problem = init(config, messages, all);
  ucp_config_release(config);
  if (!problem.empty()) return {};
  const std::vector<printed::Lane> lanes =
      printed::lanes(text_of([&](std::FILE* file) { ucp_ep_print_info(endpoint, file); }));
  std::vector<Transport> found;
  for (const std::string& name : transports_of(all)) {
    Transport& one = found.emplace_back(Transport{name, false, ""});
    for (const printed::Lane& lane : lanes)
      if (lane.transport == name) one = {name, true, "chosen by UCX for " + lane.uses};
    if (one.used) continue;
    const bool is_offered = std::ranges::find(offered_, name) != offered_.end();
    one.why = is_offered ? "offered, and not chosen by UCX"
                         : "left out: " + config_->why_left_out(name, offered_);
  }
  ucp_cleanup(all);
  return found;
}

std::string UcxWorker::open_worker() {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  params.events = UCP_WAKEUP_RX | UCP_WAKEUP_TX;
  ucs_status_t status = ucp_worker_create(context_, &params, &worker_);
  if (status != UCS_OK) return failure("ucp_worker_create", status);
  status = ucp_worker_get_efd(worker_, &descriptor_);
  if (status != UCS_OK) return failure("ucp_worker_get_efd", status);
  status = ucp_worker_get_address(worker_, &address_, &address_bytes_);
  return status == UCS_OK ? std::string() : failure("ucp_worker_get_address", status);
}

}  // namespace armature::transport
