#pragma once

#include "progress/messages.hpp"
#include "space/address_space.hpp"

namespace armature::progress {

/// What the calling rank is made of below its teams. One per process as long as ranks are
/// processes.
struct RankContext {
  explicit RankContext(space::AddressSpace& the_space) : space(the_space), messages(the_space) {}

  space::AddressSpace& space;
  Messages messages;
};

/// The calling rank's; throws Error(misuse) naming the call when there is none, outside run().
RankContext& this_rank(const char* call);
/// nullptr ends it.
void set_this_rank(RankContext* context);

}  // namespace armature::progress
