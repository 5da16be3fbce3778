#include "team/known_teams.hpp"
#include "team/records.hpp"
#include "team/refusal.hpp"

namespace armature::team {
namespace {

void handle_records(transport::Links& links) {
  KnownTeams::install(links);
  install_refusals(links);
}

}  // namespace

const transport::Service service{.name = "team",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = handle_records,
                                 .poll = KnownTeams::look,
                                 .reset = KnownTeams::forget_all};

}  // namespace armature::team
