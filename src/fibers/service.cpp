#include "fibers/priority.hpp"
#include "fibers/records.hpp"

namespace armature::fibers {

const transport::Service service{.name = "fibers",
                                 .records_count = transport::number_of(Kind::count),
                                 .handlers = {urgent_handlers}};

}  // namespace armature::fibers
