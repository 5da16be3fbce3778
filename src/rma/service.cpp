#include "rma/far.hpp"
#include "rma/far_lock.hpp"
#include "rma/questions.hpp"
#include "rma/records.hpp"

namespace armature::rma {

const transport::Service service{.name = "rma",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = serve_far,
                                 .poll = look_at_locks,
                                 .peer_failed = Question::give_up,
                                 .reset = forget_far,
                                 .quiesce = Question::all_are_answered};

}  // namespace armature::rma
