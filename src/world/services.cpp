#include "world/services.hpp"

#include <deque>
#include <string_view>

#include "armature/detail/rank_state.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "rma/records.hpp"
#include "rmi/records.hpp"
#include "team/records.hpp"
#include "transport/services_here.hpp"
#include "virtual/records.hpp"

namespace armature::hosting {
namespace {

struct Added {
  std::deque<transport::Service> services;
  bool are_listed = false;
};

}  // namespace

void list_services() {
  auto& all = transport::services_here();
  all = {&rma::service, &rmi::service, &team::service, &fibers::service};
  auto& added = base::state<Added>();
  added.are_listed = true;
  for (const transport::Service& one : added.services) all.push_back(&one);
}

}  // namespace armature::hosting

void armature::detail::keep_of_ranks(const RankState& state) {
  auto& added = base::state<hosting::Added>();
  if (added.are_listed)
    base::fail(Errc::misuse, "keep_of_ranks: called when the process has joined its job");
  for (const transport::Service& one : added.services)
    if (std::string_view(one.name) == state.name)
      base::fail(Errc::misuse, "keep_of_ranks: there is one of that name already");
  added.services.push_back({.name = state.name,
                            .records_count = 0,
                            .pack_rank = state.pack,
                            .unpack_rank = state.unpack,
                            .forget = state.forget});
}
