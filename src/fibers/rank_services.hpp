#pragma once

#include <string>

#include "fibers/rank_fiber.hpp"

// Services keep data of a rank in their process's memory. It goes where the rank goes: it is packed
// into the rank's segment, which is moved, written, copied and brought back as it is. The process
// that runs the rank next unpacks it.

namespace armature::fibers {

/// Packs the data of a rank that does not run any more, or is about to leave its stack. From then
/// on services know nothing of it here. False where its segment has no room: then nothing has
/// changed, and the rank can neither go nor be written (Tie::no_room), until unpack_services.
[[nodiscard]] bool pack_services(RankFiber& fiber);
/// Gives them what was packed, if something was. Throws Error(corrupt) where it is of a service
/// that this process does not have.
void unpack_services(RankFiber& fiber);
/// Waits until no service has anything under way that must end before ranks are written. Empty; or
/// which one has, after 10 s. On one node: on several the network asks while it becomes quiet.
[[nodiscard]] std::string await_quiet_services(const space::ControlHeader& job);
/// Called when the rank has left, or rolls back to what it was.
void forget_in_services(int rank);

}  // namespace armature::fibers
