#include "rmi/endpoint_context.hpp"

#include "base/fail.hpp"
#include "rmi/request_checksum.hpp"
#include "wait/trace.hpp"

namespace armature::rmi {

EndpointContext::EndpointContext(wait::RankContext& the_rank, const Settings& the_settings,
                                 wait::WorkSource& the_endpoint)
    : rank(the_rank),
      space(the_rank.space),
      endpoint(the_endpoint),
      settings(the_settings),
      has_service(the_settings.service_thread),
      checksum_bytes(the_rank.space.checks_in_full() ? sizeof(RequestChecksum) : 0),
      traces(wait::traces()) {
  if (has_service && rank.scheduler != nullptr)
    base::fail(Errc::start,
               "ARMATURE_SERVICE_THREADS: ranks that take turns on a thread, as virtual and "
               "simulated ones do, have no service threads: calls are executed when a rank waits");
  sender.ranks = static_cast<std::uint32_t>(space.ranks());
  sender.until_poll = settings.poll_every;
}

}  // namespace armature::rmi
