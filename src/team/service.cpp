#include "team/records.hpp"
#include "team/refusal.hpp"
#include "team/registry.hpp"

namespace armature::team {
const transport::Service service{.name = "team",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = {Registry::handlers, refusal_handlers},
                                 .poll = Registry::look,
                                 .reset = Registry::forget_all};

}  // namespace armature::team
