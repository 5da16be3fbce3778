// The compiled half of armature/left_call.hpp.
#include "armature/left_call.hpp"

#include <utility>

#include "base/fail.hpp"
#include "rmi/endpoint.hpp"

namespace armature::detail {

bool is_service_thread() {
  rmi::Endpoint& endpoint = rmi::this_endpoint("a call of a container");
  const rmi::Endpoint::Use in_use = endpoint.use();
  return endpoint.context().is_service_thread();
}

bool must_leave() {
  rmi::Endpoint& endpoint = rmi::this_endpoint("a call of a container");
  const rmi::Endpoint::Use in_use = endpoint.use();
  return endpoint.context().is_service_thread() || !endpoint.left_calls().empty();
}

void leave_to_rank(ObjectId object, std::uint8_t depth, std::unique_ptr<LeftCall> call) {
  rmi::Endpoint& endpoint = rmi::this_endpoint("a call of a container");
  const rmi::Endpoint::Use in_use = endpoint.use();
  rmi::Incoming* const in = endpoint.inbox().receiving();
  if (in == nullptr)
    base::fail(Errc::misuse, "a call of a container can be left to the rank by a method alone");
  endpoint.left_calls().add(*in, object, depth, std::move(call));
}

std::uint8_t depth_of_call() {
  rmi::Endpoint& endpoint = rmi::this_endpoint("a call of a container");
  const rmi::Endpoint::Use in_use = endpoint.use();
  return endpoint.context().sender.depth;
}

}  // namespace armature::detail
