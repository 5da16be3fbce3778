#include "checkpoint/copies.hpp"
#include "checkpoint/records.hpp"

namespace armature::checkpoints {

const transport::Service service{.name = "checkpoints",
                                 .records_count = transport::number_of(Kind::count),
                                 .handlers = {Copies::handlers}};

}  // namespace armature::checkpoints
