#include "team/known_teams.hpp"
#include "team/records.hpp"
#include "team/refusal.hpp"

namespace armature::team {
const transport::Service service{.name = "team",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = {KnownTeams::handlers, refusal_handlers},
                                 .poll = KnownTeams::look,
                                 .reset = KnownTeams::forget_all};

}  // namespace armature::team
