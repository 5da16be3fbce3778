#include "quiesce/losses.hpp"
#include "quiesce/phase_barrier.hpp"
#include "quiesce/plan.hpp"
#include "quiesce/records.hpp"

namespace armature::quiesce {

const transport::Service service{
    .name = "quiesce",
    .records_count = transport::number_of(Kind::count),
    .handlers = {plan_handlers, PhaseBarrier::handlers, loss_handlers}};

}  // namespace armature::quiesce
