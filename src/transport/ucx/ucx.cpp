// The engine over UCX. Of UCX it uses one thing, active messages sent eagerly: on one connection
// they arrive in order, and a message that a connection takes as one piece is handed to us where it
// was received. One-sided operations of UCX are not used: over TCP they stall while the target
// computes, and cost twice a message (docs/decisions/network-engine.md).
//
// UCX installs handlers for signals when it is loaded, in place of ours that say who died of what:
// they are taken back at once.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ucp/api/ucp.h>
#include <ucs/config/global_opts.h>

#include "base/clock.hpp"
#include "transport/transport.hpp"

extern "C" void ucs_debug_disable_signals();

namespace armature::transport {
namespace {

constexpr unsigned message_id = 7;

// A message that fits a segment is handed to us where it was received; a longer one is put together
// in a buffer first, which cost a put of 1 MiB a quarter of its time. So what the links copy into a
// packet (16 KiB) fits what is sent from a buffer, and what they lend (64 KiB and its head) fits
// what is received into one; UCX's own choice is 64 KiB with all heads.
constexpr std::size_t send_segment = std::size_t{20} * 1024;
constexpr std::size_t receive_segment = std::size_t{72} * 1024;

class Ucx final : public Engine {
 public:
  explicit Ucx(Sink& sink) : sink_(sink) {}
  Ucx(const Ucx&) = delete;
  Ucx& operator=(const Ucx&) = delete;
  ~Ucx() override {
    if (address_ != nullptr) ucp_worker_release_address(worker_, address_);
    for (ucp_rkey_h const key : accepted_) ucp_rkey_destroy(key);
    if (worker_ != nullptr) ucp_worker_destroy(worker_);
    for (ucp_mem_h const memory : offered_) ucp_mem_unmap(context_, memory);
    if (context_ != nullptr) ucp_cleanup(context_);
  }

  /// What went wrong, or "".
  [[nodiscard]] std::string open(const EngineOptions& options) {
    ucs_global_opts_set_value("LOG_LEVEL", "fatal");
    ucs_debug_disable_signals();
    if (std::string problem = open_context(options); !problem.empty()) return problem;
    return open_worker();
  }

  [[nodiscard]] const char* description() const override { return description_.c_str(); }
  [[nodiscard]] std::span<const std::byte> address() const override {
    return {reinterpret_cast<const std::byte*>(address_), address_bytes_};
  }
  [[nodiscard]] const char* connect(int peer, std::span<const std::byte> address) override;
  [[nodiscard]] bool send(int peer, std::span<const std::byte> head,
                          std::span<const std::byte> body, std::uint64_t token) override;
  void drop(int peer) override;
  bool progress() override {
    close_dropped();
    bool any = false;
    while (ucp_worker_progress(worker_) != 0) any = true;
    return any;
  }
  [[nodiscard]] int descriptor() const override { return descriptor_; }
  [[nodiscard]] bool arm() override { return ucp_worker_arm(worker_) == UCS_OK; }

  [[nodiscard]] bool is_one_sided() const override { return is_one_sided_; }
  [[nodiscard]] bool pins_memory() const override { return is_one_sided_ && has_rdma_; }
  [[nodiscard]] std::vector<std::byte> offer(std::span<std::byte> memory) override;
  [[nodiscard]] void* accept(int peer, std::span<const std::byte> offered) override;
  void put(int peer, void* accepted, std::uint64_t to, std::span<const std::byte> from,
           std::uint64_t token) override;
  void get(int peer, void* accepted, std::uint64_t from, std::span<std::byte> to,
           std::uint64_t token) override;

 private:
  struct Peer {
    Ucx* engine = nullptr;
    int number = -1;
    ucp_ep_h endpoint = nullptr;
    bool lost = false;
    bool noticed = false;  // by UCX itself
  };
  struct Dropped {
    const Peer* peer;
    ucp_ep_h endpoint;
    std::uint64_t since_ns;
  };

  std::string open_context(const EngineOptions& options);
  std::string init(const ucp_config_t* config, std::uint64_t features);
  [[nodiscard]] bool finds_rdma() const;
  std::string open_worker();
  void lose(Peer& peer, ucs_status_t why);
  void close_dropped();

  static ucs_status_t on_message(void* me, const void* head, std::size_t head_bytes, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* param) {
    auto& engine = *static_cast<Ucx*>(me);
    const auto* const first = static_cast<const std::byte*>(head);
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
      return engine.fetch({first, head_bytes}, data, bytes);
    engine.sink_.received({first, head_bytes}, {static_cast<const std::byte*>(data), bytes});
    return UCS_OK;
  }

  /// A message that is fetched, because a program has asked UCX for rendezvous.
  struct Fetching {
    Ucx* engine;
    std::vector<std::byte> head, body;
  };
  ucs_status_t fetch(std::span<const std::byte> head, void* announced, std::size_t bytes);
  static void on_fetched(void* request, ucs_status_t status, std::size_t, void* fetching) {
    const std::unique_ptr<Fetching> done(static_cast<Fetching*>(fetching));
    if (request != nullptr) ucp_request_free(request);
    if (status == UCS_OK) done->engine->sink_.received(done->head, done->body);
  }
  static void on_failure(void* peer, ucp_ep_h, ucs_status_t why) {
    auto* lost = static_cast<Peer*>(peer);
    lost->noticed = true;
    lost->engine->lose(*lost, why);
  }

  /// One send under way.
  struct Sending {
    Ucx* engine;
    std::uint64_t token;
  };
  [[nodiscard]] bool is_under_way(Peer& to, ucs_status_ptr_t request,
                                  std::unique_ptr<Sending>& sending);
  [[nodiscard]] ucp_request_param_t told(Sending& sending) const {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.send = &on_sent;
    param.user_data = &sending;
    return param;
  }
  static void on_sent(void* request, ucs_status_t, void* sending) {
    const std::unique_ptr<Sending> done(static_cast<Sending*>(sending));
    ucp_request_free(request);
    done->engine->sink_.sent(done->token);
  }

  Sink& sink_;
  std::string description_;
  std::string problem_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_address_t* address_ = nullptr;
  std::size_t address_bytes_ = 0;
  int descriptor_ = -1;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<Dropped> dropped_;
  bool is_one_sided_ = false;
  bool has_rdma_ = false;
  bool always_eager_ = true;
  std::vector<ucp_mem_h> offered_;
  std::vector<ucp_rkey_h> accepted_;
};

std::string failure(const char* call, ucs_status_t status) {
  return std::string(call) + ": " + ucs_status_string(status);
}

std::string Ucx::open_context(const EngineOptions& options) {
  ucp_config_t* config = nullptr;
  const ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return failure("ucp_config_read", status);
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) (void)ucp_config_modify(config, name, value.c_str());
  };
  set("NET_DEVICES", options.device);
  set("TLS", options.interfaces.empty() ? "tcp" : options.interfaces);
  // Who has set these for UCX itself knows better. Versions differ in whether a transport's setting
  // is called with the transport's name in front.
  const auto set_unless_given = [&](const char* name, std::size_t bytes) {
    if (std::getenv((std::string("UCX_TCP_") + name).c_str()) != nullptr) return;
    set(name, std::to_string(bytes));
    set((std::string("TCP_") + name).c_str(), std::to_string(bytes));
  };
  set_unless_given("TX_SEG_SIZE", options.segment != 0 ? options.segment : send_segment);
  set_unless_given("RX_SEG_SIZE", options.segment != 0 ? options.segment : receive_segment);
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

std::string Ucx::init(const ucp_config_t* config, std::uint64_t features) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  params.features = features;
  params.name = "armature";
  const ucs_status_t status = ucp_init(&params, config, &context_);
  return status == UCS_OK ? std::string() : failure("ucp_init", status);
}

/// Whether the network's hardware reads and writes memory: which transports there are is told in
/// words alone.
bool Ucx::finds_rdma() const {
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

std::string Ucx::open_worker() {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  params.events = UCP_WAKEUP_RX | UCP_WAKEUP_TX;
  ucs_status_t status = ucp_worker_create(context_, &params, &worker_);
  if (status != UCS_OK) return failure("ucp_worker_create", status);
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = message_id;
  handler.cb = &on_message;
  handler.arg = this;
  status = ucp_worker_set_am_recv_handler(worker_, &handler);
  if (status != UCS_OK) return failure("ucp_worker_set_am_recv_handler", status);
  status = ucp_worker_get_efd(worker_, &descriptor_);
  if (status != UCS_OK) return failure("ucp_worker_get_efd", status);
  status = ucp_worker_get_address(worker_, &address_, &address_bytes_);
  return status == UCS_OK ? std::string() : failure("ucp_worker_get_address", status);
}

const char* Ucx::connect(int peer, std::span<const std::byte> address) {
  const auto index = static_cast<std::size_t>(peer);
  if (peers_.size() <= index) peers_.resize(index + 1);
  peers_[index] = std::make_unique<Peer>(Peer{this, peer});
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler = {&on_failure, peers_[index].get()};
  const ucs_status_t status = ucp_ep_create(worker_, &params, &peers_[index]->endpoint);
  if (status == UCS_OK) return nullptr;
  problem_ = failure("ucp_ep_create", status);
  return problem_.c_str();
}

bool Ucx::send(int peer, std::span<const std::byte> head, std::span<const std::byte> body,
               std::uint64_t token) {
  Peer& to = *peers_[static_cast<std::size_t>(peer)];
  if (to.lost) return true;
  auto sending = std::make_unique<Sending>(Sending{this, token});
  ucp_request_param_t param = told(*sending);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = always_eager_ ? UCP_AM_SEND_FLAG_EAGER : 0;
  return !is_under_way(to,
                       ucp_am_send_nbx(to.endpoint, message_id, head.data(), head.size(),
                                       body.data(), body.size(), &param),
                       sending);
}

/// Whether on_sent will be told.
bool Ucx::is_under_way(Peer& to, ucs_status_ptr_t request, std::unique_ptr<Sending>& sending) {
  if (UCS_PTR_IS_ERR(request)) lose(to, UCS_PTR_STATUS(request));
  if (request == nullptr || UCS_PTR_IS_ERR(request)) return false;
  (void)sending.release();  // on_sent has it
  return true;
}

ucs_status_t Ucx::fetch(std::span<const std::byte> head, void* announced, std::size_t bytes) {
  auto fetching = std::make_unique<Fetching>(
      Fetching{this, {head.begin(), head.end()}, std::vector<std::byte>(bytes)});
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.recv_am = &on_fetched;
  param.user_data = fetching.get();
  const ucs_status_ptr_t request =
      ucp_am_recv_data_nbx(worker_, announced, fetching->body.data(), bytes, &param);
  if (UCS_PTR_IS_ERR(request)) return UCS_PTR_STATUS(request);
  Fetching* const under_way = fetching.release();
  if (request == nullptr) on_fetched(nullptr, UCS_OK, bytes, under_way);
  return UCS_OK;
}

std::vector<std::byte> Ucx::offer(std::span<std::byte> memory) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = memory.data();
  params.length = memory.size();
  ucp_mem_h mapped = nullptr;
  if (!is_one_sided_ || ucp_mem_map(context_, &params, &mapped) != UCS_OK) return {};
  offered_.push_back(mapped);
  void* key = nullptr;
  std::size_t bytes = 0;
  if (ucp_rkey_pack(context_, mapped, &key, &bytes) != UCS_OK) return {};
  const auto* const first = static_cast<const std::byte*>(key);
  std::vector<std::byte> packed(first, first + bytes);
  ucp_rkey_buffer_release(key);
  return packed;
}

void* Ucx::accept(int peer, std::span<const std::byte> offered) {
  const Peer& from = *peers_[static_cast<std::size_t>(peer)];
  ucp_rkey_h key = nullptr;
  if (!is_one_sided_ || from.lost || offered.empty() ||
      ucp_ep_rkey_unpack(from.endpoint, offered.data(), &key) != UCS_OK)
    return nullptr;
  accepted_.push_back(key);
  return key;
}

/// A put is done for UCX when it has let go of the source; the flush behind it says when the bytes
/// are there.
void Ucx::put(int peer, void* accepted, std::uint64_t to, std::span<const std::byte> from,
              std::uint64_t token) {
  Peer& target = *peers_[static_cast<std::size_t>(peer)];
  if (target.lost) return sink_.sent(token);
  const ucp_request_param_t untold{};
  const ucs_status_ptr_t request = ucp_put_nbx(target.endpoint, from.data(), from.size(), to,
                                               static_cast<ucp_rkey_h>(accepted), &untold);
  if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);
  if (UCS_PTR_IS_ERR(request)) lose(target, UCS_PTR_STATUS(request));
  if (target.lost) return sink_.sent(token);
  auto sending = std::make_unique<Sending>(Sending{this, token});
  const ucp_request_param_t param = told(*sending);
  if (!is_under_way(target, ucp_ep_flush_nbx(target.endpoint, &param), sending)) sink_.sent(token);
}

void Ucx::get(int peer, void* accepted, std::uint64_t from, std::span<std::byte> to,
              std::uint64_t token) {
  Peer& target = *peers_[static_cast<std::size_t>(peer)];
  if (target.lost) return sink_.sent(token);
  auto sending = std::make_unique<Sending>(Sending{this, token});
  const ucp_request_param_t param = told(*sending);
  if (!is_under_way(target,
                    ucp_get_nbx(target.endpoint, to.data(), to.size(), from,
                                static_cast<ucp_rkey_h>(accepted), &param),
                    sending))
    sink_.sent(token);
}

void Ucx::drop(int peer) {
  Peer& dropped = *peers_[static_cast<std::size_t>(peer)];
  dropped.lost = true;
  if (ucp_ep_h const endpoint = std::exchange(dropped.endpoint, nullptr))
    dropped_.push_back({&dropped, endpoint, base::now_ns()});
}

/// Not in drop(), which may be called from inside of what is closed. What is under way there ends
/// with an error.
///
/// Nor before UCX knows that the peer is dead, when that is why it was dropped: closed by force
/// with something under way to a peer whose death it discovers only then, UCX 1.13 ends the
/// process. A peer that hangs, or whose link is down, it does not notice; it is given the time in
/// which it notices a death many times over.
void Ucx::close_dropped() {
  if (dropped_.empty()) [[likely]]
    return;
  constexpr std::uint64_t time_to_notice_ns = 200'000'000;
  const std::uint64_t now_ns = base::now_ns();
  std::vector<ucp_ep_h> due;
  std::erase_if(dropped_, [&](const Dropped& dropped) {
    const bool is_due = dropped.peer->noticed || now_ns - dropped.since_ns > time_to_notice_ns;
    if (is_due) due.push_back(dropped.endpoint);
    return is_due;
  });
  for (ucp_ep_h const endpoint : due) {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    const ucs_status_ptr_t closing = ucp_ep_close_nbx(endpoint, &param);
    if (UCS_PTR_IS_PTR(closing)) ucp_request_free(closing);
  }
}

void Ucx::lose(Peer& peer, ucs_status_t why) {
  if (std::exchange(peer.lost, true)) return;
  sink_.lost(peer.number, ucs_status_string(why));
}

}  // namespace
}  // namespace armature::transport

extern "C" __attribute__((visibility("default"))) armature::transport::Engine* armature_open_engine(
    armature::transport::Sink& sink, const armature::transport::EngineOptions& options,
    char* problem, std::size_t problem_bytes) {
  auto engine = std::make_unique<armature::transport::Ucx>(sink);
  const std::string wrong = engine->open(options);
  if (wrong.empty()) return engine.release();
  std::snprintf(problem, problem_bytes, "%s", wrong.c_str());
  return nullptr;
}
