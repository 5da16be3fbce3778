#include "virtual/nodes/copies.hpp"
#include "virtual/nodes/losses.hpp"
#include "virtual/nodes/plan.hpp"
#include "virtual/nodes/steps.hpp"
#include "virtual/nodes/traveller.hpp"
#include "virtual/priority.hpp"
#include "virtual/records.hpp"

namespace armature::fibers {
namespace {

void handle_records(transport::Links& links) {
  install_urgent(links);
  nodes::Steps::install(links);
  nodes::install_plan(links);
  nodes::install_travellers(links);
  nodes::install_losses(links);
  nodes::Copies::install(links);
}

}  // namespace

const transport::Service service{.name = "virtual",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = handle_records};

}  // namespace armature::fibers
