#include "rmi/circle.hpp"
#include "rmi/far_replies.hpp"
#include "rmi/records.hpp"

namespace armature::rmi {
const transport::Service service{.name = "rmi",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = {reply_handlers, circle_handlers}};

}  // namespace armature::rmi
