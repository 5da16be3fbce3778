#include "rmi/flow_cycle.hpp"
#include "rmi/records.hpp"
#include "rmi/remote_replies.hpp"

namespace armature::rmi {
const transport::Service service{.name = "rmi",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = {reply_handlers, cycle_handlers}};

}  // namespace armature::rmi
