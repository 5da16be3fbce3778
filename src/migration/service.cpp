#include "migration/rank_image.hpp"
#include "migration/records.hpp"

namespace armature::migration {

const transport::Service service{.name = "migration",
                                 .records_count = transport::number_of(Kind::count),
                                 .handlers = {rank_image_handlers}};

}  // namespace armature::migration
