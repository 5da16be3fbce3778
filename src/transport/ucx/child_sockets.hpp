#pragma once

namespace armature::transport {

/// The sockets that the engine's descriptor watches are closed in children of this process, those
/// of fork and what they start.
void keep_sockets_from_children(int descriptor);
/// The engine is closed.
void forget_sockets();

}  // namespace armature::transport
