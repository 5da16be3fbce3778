#pragma once

#include <array>
#include <cstdint>

#include "space/mapping.hpp"
#include "transport/links.hpp"

// Processes that are lost, in a job that recovers from that. All others are to agree on who they
// are, and nothing from before may come when they do. Who hears of one more tells all others who
// are, on each link, and from then on does not handle what comes there before the other has told
// the same. Links keep their order, so nothing from before comes behind it; what was to be
// acknowledged is.

namespace armature::quiesce {

/// A number for the set of processes that this one has found lost when it entered last: the same
/// number, the same processes. 0: nobody. Under the links' lock.
std::uint64_t number_of_losses();

/// By a process that comes: it knows of the losses that the others have entered before.
void know_losses(const space::Mapping& mapping);

/// Called by a process none of whose ranks runs. From now on it is without those that its node
/// knows to be lost; what it keeps of ranks is forgotten. Returns how many they are.
std::uint32_t enter_losses(const space::Mapping& mapping);
/// Whether all others have done so, without the same, and the engine has let go of all that was
/// lent to it: nothing is on its way any more.
bool all_have_entered(const space::Mapping& mapping);
/// Whether some other process says that all ranks of the job have ended.
bool somebody_has_left(const space::Mapping& mapping);

extern const std::array<transport::Handling, 1> loss_handlers;

}  // namespace armature::quiesce
