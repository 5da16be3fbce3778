#include "transport/service_table.hpp"

#include <span>
#include <string>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"

namespace armature::transport {

const Service link_service{.name = "links",
                           .records_count = static_cast<std::uint8_t>(Kind::count)};

void Arrived::require(std::size_t bytes) const {
  if (body.size() < bytes)
    base::fail(Errc::corrupt,
               fmt::format("record {} of service {} from process {} is too short: {} bytes",
                           record.kind.number, record.kind.service, process, body.size()));
}

ServiceTable::ServiceTable(const std::vector<const Service*>& services) : services_{&link_service} {
  services_.insert(services_.end(), services.begin(), services.end());
  ARMATURE_ASSERT(services_.size() <= UINT8_MAX);
  for (const Service* service : services_) {
    std::vector<Handling>& by_kind = handling_.emplace_back(service->records_count);
    for (const std::span<const Handling> table : service->handlers)
      for (const Handling& one : table) by_kind.at(one.kind) = one;
  }
}

std::uint64_t ServiceTable::hash() const {
  std::string all;
  for (const Service* service : services_)
    all += fmt::format("{} {};", service->name, service->records_count);
  return base::checksum(std::as_bytes(std::span(all)));
}

void ServiceTable::require_known(RecordKind kind, int process) const {
  if (kind.service >= services_.size())
    base::fail(Errc::corrupt,
               fmt::format("process {} sends a record of service {}: this process has {}", process,
                           kind.service, services_.size()));
  const Service& service = *services_[kind.service];
  if (kind.number >= service.records_count)
    base::fail(Errc::corrupt,
               fmt::format("process {} sends record {} of service \"{}\", which has {} kinds of "
                           "them",
                           process, kind.number, service.name, service.records_count));
}

void ServiceTable::let_go() const {
  for (const Service* const one : services_)
    if (one->let_go != nullptr) one->let_go();
}

}  // namespace armature::transport
