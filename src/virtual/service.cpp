#include "virtual/nodes/copies.hpp"
#include "virtual/nodes/losses.hpp"
#include "virtual/nodes/plan.hpp"
#include "virtual/nodes/steps.hpp"
#include "virtual/nodes/traveller.hpp"
#include "virtual/priority.hpp"
#include "virtual/records.hpp"

namespace armature::fibers {
const transport::Service service{
    .name = "virtual",
    .records_count = static_cast<std::uint8_t>(Kind::count),
    .handlers = {urgent_handlers, nodes::Steps::handlers, nodes::plan_handlers,
                 nodes::traveller_handlers, nodes::loss_handlers, nodes::Copies::handlers}};

}  // namespace armature::fibers
