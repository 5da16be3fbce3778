#include "world/services.hpp"

#include <string>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "checkpoint/records.hpp"
#include "fibers/records.hpp"
#include "layer/services.hpp"
#include "message/records.hpp"
#include "migration/records.hpp"
#include "quiesce/records.hpp"
#include "rma/records.hpp"
#include "rmi/records.hpp"
#include "team/records.hpp"
#include "transport/services_here.hpp"

namespace armature::hosting {

void list_services() {
  auto& all = transport::services_here();
  all = {&rma::service,    &message::service, &rmi::service,       &team::service,
         &fibers::service, &quiesce::service, &migration::service, &checkpoints::service};
  layers::close_list();
  for (const layers::Added& one : layers::added()) all.push_back(&one.of_process);
}

void require_same_services(space::ControlHeader& job) {
  std::string all, names;
  for (const transport::Service* const one : transport::services_here())
    all += fmt::format("{} {};", one->name, one->records_count);
  const std::uint64_t mine = base::checksum(std::as_bytes(std::span(all))) | 1;
  std::uint64_t theirs = 0;
  if (job.alike.services.compare_exchange_strong(theirs, mine, std::memory_order_relaxed) ||
      theirs == mine)
    return;
  for (const layers::Added& one : layers::added())
    names += fmt::format("{}\"{}\" with {} kinds of records", names.empty() ? "" : ", ",
                         one.of_layer.name, one.of_layer.handlers.size());
  base::fail(Errc::start,
             fmt::format("this process has other services of layers than the first of the job that "
                         "has joined on this node: {}. All must add the same ones, in the same "
                         "order (armature::layer::add_service)",
                         names.empty() ? "none" : names));
}

}  // namespace armature::hosting
