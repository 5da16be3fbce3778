#include "engines/ucx/dropped_endpoints.hpp"

#include "base/clock.hpp"

namespace armature::transport {

void DroppedEndpoints::add(ucp_ep_h endpoint, const bool& noticed) {
  dropped_.push_back(
      {.endpoint = endpoint, .noticed = &noticed, .since_ns = base::now_of_machine_ns()});
}

void DroppedEndpoints::look() {
  constexpr std::uint64_t time_to_notice_ns = 200'000'000;
  constexpr int looks_to_notice = 4;
  const std::uint64_t now_ns = base::now_of_machine_ns();
  for (Dropped& dropped : dropped_)
    if (now_ns - dropped.since_ns > time_to_notice_ns) ++dropped.looks_when_late;
  std::vector<ucp_ep_h> due;
  std::erase_if(dropped_, [&](const Dropped& dropped) {
    const bool is_due = *dropped.noticed || dropped.looks_when_late > looks_to_notice;
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

}  // namespace armature::transport
