#include "layer/services.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "base/runtime.hpp"

namespace armature {
namespace layers {
namespace {

struct List {
  std::deque<Added> services;  // their addresses stay
  bool is_closed = false;
};

}  // namespace

Added::Added(const layer::Service& service)
    : of_layer(service),
      of_process{.name = service.name,
                 .records_count = static_cast<std::uint8_t>(service.handlers.size()),
                 .reset = service.reset,
                 .quiesce = service.quiesce,
                 .pack_rank = service.pack_rank,
                 .unpack_rank = service.unpack_rank,
                 .forget = service.forget} {}

const std::deque<Added>& added() { return base::state<List>().services; }

void close_list() { base::state<List>().is_closed = true; }

}  // namespace layers

layer::ServiceId layer::add_service(const Service& service) {
  auto& [services, is_closed] = base::state<layers::List>();
  constexpr std::size_t services_max = 64, kinds_max = 255;
  const auto refuse = [&](const char* why) {
    base::fail(Errc::misuse, fmt::format("add_service(\"{}\"): {}",
                                         service.name != nullptr ? service.name : "", why));
  };
  if (service.name == nullptr || *service.name == '\0') refuse("a service has a name");
  if (is_closed) refuse("called when the process has joined its job");
  for (const layers::Added& one : services)
    if (std::string_view(one.of_layer.name) == service.name)
      refuse("there is one of that name already");
  if (services.size() >= services_max) refuse("a process has 64 services of layers at most");
  if (service.handlers.size() > kinds_max) refuse("a service has 255 kinds of records at most");
  if ((service.pack_rank == nullptr) != (service.unpack_rank == nullptr))
    refuse("who packs what is kept of a rank unpacks it, too");
  const base::ProcessMemory memory;
  services.emplace_back(service);
  return ServiceId{static_cast<std::uint32_t>(services.size() - 1)};
}

}  // namespace armature
