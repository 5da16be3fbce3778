#include "rmi/failure.hpp"

#include <string>

#include <fmt/format.h>

#include "armature/detail/call.hpp"
#include "base/fail.hpp"
#include "rmi/endpoint.hpp"

namespace armature::rmi {

void corrupt(const std::string& what) noexcept {
  base::fail(Errc::corrupt, what + ": memory of this job is damaged; nothing of it was acted on");
}

void call_failed(Endpoint& endpoint, Rank caller, const std::string& text) noexcept {
  if (endpoint.on_error) return endpoint.on_error(caller, text);
  // No rank is there to whom it could be said.
  base::fail(Errc::remote,
             fmt::format("a call from rank {} failed: {}", static_cast<int>(caller), text));
}

namespace {
void reported(const std::string& text) {
  Endpoint& endpoint = this_endpoint("remote call");
  call_failed(endpoint, Rank(endpoint.space().me()), text);
}
}  // namespace

void report(Endpoint&, Rank caller, const std::string& text) {
  detail::call_function<false>(caller, nullptr, &reported, text);
}

}  // namespace armature::rmi
