// Connections: made, used for messages, let go.
#include "transport/ucx/ucx.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/clock.hpp"

namespace armature::transport {

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

void Ucx::drop(int peer) {
  Peer& dropped = *peers_[static_cast<std::size_t>(peer)];
  dropped.lost = true;
  if (ucp_ep_h const endpoint = std::exchange(dropped.endpoint, nullptr))
    dropped_.push_back(
        {.peer = &dropped, .endpoint = endpoint, .since_ns = base::now_of_machine_ns()});
}

/// Not in drop(), which may be called from inside of what is closed. What is under way there ends
/// with an error.
///
/// Nor before UCX knows that the peer is dead, when that is why it was dropped: closed by force
/// with something under way to a peer whose death it discovers only then, UCX 1.13 ends the
/// process. A peer that hangs, or whose link is down, it does not notice; it is given the time in
/// which it notices a death many times over, and has then looked some times more: who had no core
/// all that time has not looked at all.
void Ucx::close_dropped() {
  if (dropped_.empty()) [[likely]]
    return;
  constexpr std::uint64_t time_to_notice_ns = 200'000'000;
  constexpr int looks_to_notice = 4;
  const std::uint64_t now_ns = base::now_of_machine_ns();
  for (Dropped& dropped : dropped_)
    if (now_ns - dropped.since_ns > time_to_notice_ns) ++dropped.looks_when_late;
  std::vector<ucp_ep_h> due;
  std::erase_if(dropped_, [&](const Dropped& dropped) {
    const bool is_due = dropped.peer->noticed || dropped.looks_when_late > looks_to_notice;
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
