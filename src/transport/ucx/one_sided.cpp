// UCX's own put and get, of memory that both sides have agreed on.
#include "transport/ucx/ucx.hpp"

namespace armature::transport {

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

}  // namespace armature::transport
