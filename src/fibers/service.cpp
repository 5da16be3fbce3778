#include "fibers/files_of_ranks.hpp"
#include "fibers/priority.hpp"
#include "fibers/records.hpp"

namespace armature::fibers {

const transport::Service service{.name = "fibers",
                                 .records_count = transport::number_of(Kind::count),
                                 .handlers = {urgent_handlers},
                                 .keeps = keeps_files,
                                 .pack_rank = pack_files,
                                 .unpack_rank = unpack_files,
                                 .forget = forget_files};

}  // namespace armature::fibers
