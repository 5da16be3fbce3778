#pragma once

#include "rma/protocol.hpp"
#include "wait/cost_model.hpp"

namespace armature::rma {

/// An operation on another rank's memory in a simulation that has costs: the bytes take the time
/// that the model says, and are moved when that is over.
[[nodiscard]] detail::Request* start_modelled(wait::CostModel& model, const Operation& what,
                                              Finish finish);
[[nodiscard]] detail::Request* start_modelled(wait::CostModel& model, const Atomic& what,
                                              Finish finish, std::uint64_t& found);

}  // namespace armature::rma
