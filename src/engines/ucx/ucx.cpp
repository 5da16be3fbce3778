// Connections: made, used for messages and one-sided operations, let go.
#include "engines/ucx/ucx.hpp"

#include <cstdio>
#include <utility>

#include "engines/engine_mark.hpp"

namespace armature::transport {

Ucx::~Ucx() {
  memory_.destroy_keys();
  worker_.close();
  memory_.unregister_all();
}

std::string Ucx::open(const EngineOptions& options) {
  if (std::string problem = worker_.open(options); !problem.empty()) return problem;
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = message_id;
  handler.cb = &on_message;
  handler.arg = this;
  const ucs_status_t status = ucp_worker_set_am_recv_handler(worker_.worker(), &handler);
  return status == UCS_OK ? std::string() : failure("ucp_worker_set_am_recv_handler", status);
}

const char* Ucx::connect(int peer, std::span<const std::byte> address) {
  if (has_ofi_mark(address)) return other_engine;
  const auto index = static_cast<std::size_t>(peer);
  if (peers_.size() <= index) peers_.resize(index + 1);
  peers_[index] = std::make_unique<Peer>(Peer{this, peer});
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler = {&on_failure, peers_[index].get()};
  ucs_status_t status = ucp_ep_create(worker_.worker(), &params, &peers_[index]->endpoint);
  if (status == UCS_OK && worker_.allocates()) {
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    status = ucp_ep_create(worker_.worker(), &params, &peers_[index]->transfers);
  }
  if (status == UCS_OK) return nullptr;
  peers_[index]->lost = true;  // nothing is sent to it
  problem_ = failure("ucp_ep_create", status);
  return problem_.c_str();
}

bool Ucx::send(int peer, std::span<const std::byte> head, std::span<const std::byte> body,
               std::uint64_t token) {
  Peer& to = *peers_[static_cast<std::size_t>(peer)];
  if (to.lost) return true;
  std::unique_ptr<Sending> sending = this->sending(token);
  return !send_message(to, head, body.data(), body.size(), sending->param(), sending);
}

bool Ucx::send_parts(int peer, std::span<const std::byte> head, Parts body, std::uint64_t token) {
  Peer& to = *peers_[static_cast<std::size_t>(peer)];
  if (to.lost) return true;
  std::unique_ptr<Sending> sending = this->sending(token);
  sending->parts.clear();
  for (const std::span<const std::byte> part : body)
    sending->parts.push_back({const_cast<std::byte*>(part.data()), part.size()});
  ucp_request_param_t param = sending->param();
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
  param.datatype = ucp_dt_make_iov();
  return !send_message(to, head, sending->parts.data(), sending->parts.size(), param, sending);
}

/// `count` bytes, or parts where the datatype of `param` is a list of them. Whether
/// Sending::on_sent will be called.
bool Ucx::send_message(Peer& to, std::span<const std::byte> head, const void* body,
                       std::size_t count, ucp_request_param_t param,
                       std::unique_ptr<Sending>& sending) {
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = worker_.always_eager() ? UCP_AM_SEND_FLAG_EAGER : 0;
  return is_under_way(
      to, ucp_am_send_nbx(to.endpoint, message_id, head.data(), head.size(), body, count, &param),
      sending);
}

/// Whether Sending::on_sent will be called.
bool Ucx::is_under_way(Peer& to, ucs_status_ptr_t request, std::unique_ptr<Sending>& sending) {
  if (UCS_PTR_IS_ERR(request)) lose(to, UCS_PTR_STATUS(request));
  if (request == nullptr || UCS_PTR_IS_ERR(request)) {
    spare_.push_back(std::move(sending));
    return false;
  }
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
      ucp_am_recv_data_nbx(worker_.worker(), announced, fetching->body.data(), bytes, &param);
  if (UCS_PTR_IS_ERR(request)) return UCS_PTR_STATUS(request);
  Fetching* const under_way = fetching.release();
  if (request == nullptr) on_fetched(nullptr, UCS_OK, bytes, under_way);
  return UCS_OK;
}

void Ucx::drop(int peer) {
  Peer& dropped = *peers_[static_cast<std::size_t>(peer)];
  dropped.lost = true;
  for (ucp_ep_h* const one : {&dropped.endpoint, &dropped.transfers})
    if (ucp_ep_h const endpoint = std::exchange(*one, nullptr))
      dropped_.add(endpoint, dropped.noticed);
}

void* Ucx::unpack_rkey(int peer, std::span<const std::byte> packed) {
  const Peer& from = *peers_[static_cast<std::size_t>(peer)];
  return from.lost ? nullptr : memory_.take_key(from.for_transfers(), packed);
}

/// Puts are done for UCX when it has let go of their source; the flush behind them says when the
/// bytes are there.
bool Ucx::put(int peer, void* rkey, Runs runs, std::uint64_t token) {
  Peer& target = *peers_[static_cast<std::size_t>(peer)];
  const ucp_request_param_t untold{};
  for (const Run& run : runs) {
    if (target.lost) return tell(token, runs.size()), true;
    const ucs_status_ptr_t request = ucp_put_nbx(target.for_transfers(), run.here, run.bytes,
                                                 run.there, static_cast<ucp_rkey_h>(rkey), &untold);
    if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);
    if (UCS_PTR_IS_ERR(request)) lose(target, UCS_PTR_STATUS(request));
  }
  if (target.lost) return tell(token, runs.size()), true;
  std::unique_ptr<Sending> sending = this->sending(token);
  sending->times = runs.size();
  const ucp_request_param_t param = sending->param();
  if (!is_under_way(target, ucp_ep_flush_nbx(target.for_transfers(), &param), sending))
    tell(token, runs.size());
  return true;
}

bool Ucx::get(int peer, void* rkey, Runs runs, std::uint64_t token) {
  Peer& target = *peers_[static_cast<std::size_t>(peer)];
  for (const Run& run : runs) {
    std::unique_ptr<Sending> sending = this->sending(token);
    const ucp_request_param_t param = sending->param();
    if (target.lost || !is_under_way(target,
                                     ucp_get_nbx(target.for_transfers(), run.here, run.bytes,
                                                 run.there, static_cast<ucp_rkey_h>(rkey), &param),
                                     sending))
      sink_.sent(token);
  }
  return true;
}

void Ucx::lose(Peer& peer, ucs_status_t why) {
  if (std::exchange(peer.lost, true)) return;
  sink_.lost(peer.number, ucs_status_string(why));
}

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
