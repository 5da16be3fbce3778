// UCX installs handlers for signals when it is loaded, in place of ours that say who died of what:
// they are taken back at once.
#include "transport/ucx/worker.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <ucs/config/global_opts.h>

extern "C" void ucs_debug_disable_signals();

namespace armature::transport {

namespace {

// A message that fits a segment is handed to us where it was received; a longer one is put together
// in a buffer first, which cost a put of 1 MiB a quarter of its time. So what the links lend (252
// KiB and its head) fits one; UCX's own choice is 64 KiB with all heads to receive, 8 KiB to send.
constexpr std::size_t segment = std::size_t{256} * 1024;

}  // namespace

std::string failure(const char* call, ucs_status_t status) {
  return std::string(call) + ": " + ucs_status_string(status);
}

std::string UcxWorker::open(const EngineOptions& options) {
  ucs_global_opts_set_value("LOG_LEVEL", "fatal");
  ucs_debug_disable_signals();
  if (std::string problem = open_context(options); !problem.empty()) return problem;
  return open_worker();
}

void UcxWorker::close() {
  if (address_ != nullptr) ucp_worker_release_address(worker_, std::exchange(address_, nullptr));
  if (worker_ != nullptr) ucp_worker_destroy(std::exchange(worker_, nullptr));
}

std::string UcxWorker::open_context(const EngineOptions& options) {
  ucp_config_t* config = nullptr;
  const ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return failure("ucp_config_read", status);
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) (void)ucp_config_modify(config, name, value.c_str());
  };
  set("NET_DEVICES", options.device);
  set("TLS", options.interfaces.empty() ? "tcp" : options.interfaces);
  // A user who has set these for UCX itself knows better. UCX versions differ in whether a
  // transport's setting has the transport's name in front.
  const auto set_unless_given = [&](const char* name, std::size_t value) {
    if (std::getenv((std::string("UCX_TCP_") + name).c_str()) != nullptr) return;
    set(name, std::to_string(value));
    set((std::string("TCP_") + name).c_str(), std::to_string(value));
  };
  for (const char* const name : {"TX_SEG_SIZE", "RX_SEG_SIZE"})
    set_unless_given(name, options.segment != 0 ? options.segment : segment);
  // One socket at a look. Of several that it has found ready UCX 1.13 still looks at each when what
  // it has received from one was answered by a word to another, whose peer is gone: that closes it,
  // and then ends the process.
  set_unless_given("MAX_POLL", 1);
  // Over TCP, UCX copies what it sends. Where it sends from our memory, 1.13 ends the process when
  // the peer dies between UCX's look at a socket and its write: it completes that send twice. In
  // whole segments the copy costs nothing that can be measured.
  if (options.interfaces.empty() && std::getenv("UCX_ZCOPY_THRESH") == nullptr)
    set("ZCOPY_THRESH", "inf");
  always_eager_ = std::getenv("UCX_RNDV_THRESH") == nullptr;
  if (always_eager_) set("RNDV_THRESH", "inf");
  constexpr std::uint64_t messages = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  std::string problem = init(config, messages);
  has_rdma_ = problem.empty() && finds_rdma();
  using OneSided = EngineOptions::OneSided;
  is_one_sided_ =
      options.one_sided == OneSided::on || (options.one_sided == OneSided::where_rdma && has_rdma_);
  if (problem.empty() && is_one_sided_) {
    ucp_cleanup(std::exchange(context_, nullptr));
    problem = init(config, messages | UCP_FEATURE_RMA);
  }
  ucp_config_release(config);
  if (!problem.empty())
    return problem + " (interface " + (options.device.empty() ? "any" : options.device) + ")";
  unsigned major = 0, minor = 0, release = 0;
  ucp_get_version(&major, &minor, &release);
  description_ = "UCX " + std::to_string(major) + "." + std::to_string(minor) + " over " +
                 (options.interfaces.empty() ? "tcp" : options.interfaces) + " on " +
                 (options.device.empty() ? "any interface" : options.device);
  return {};
}

std::string UcxWorker::init(const ucp_config_t* config, std::uint64_t features) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  params.features = features;
  params.name = "armature";
  const ucs_status_t status = ucp_init(&params, config, &context_);
  return status == UCS_OK ? std::string() : failure("ucp_init", status);
}

/// Whether the network's hardware reads and writes memory: which transports there are is told in
/// words alone.
bool UcxWorker::finds_rdma() const {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const file = open_memstream(&text, &bytes);
  if (file == nullptr) return false;
  ucp_context_print_info(context_, file);
  std::fclose(file);
  const std::string told(text, bytes);
  std::free(text);
  return told.find("rc_") != std::string::npos || told.find("dc_") != std::string::npos;
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
