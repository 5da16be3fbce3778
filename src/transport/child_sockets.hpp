#pragma once

namespace armature::transport {

/// The sockets that an engine's descriptor watches are closed in children of this process, those of
/// fork and what they start. So nobody keeps connections open after its death. To be called once
/// peers have answered.
void keep_sockets_from_children(int descriptor);
/// The engine is closed.
void forget_sockets();

}  // namespace armature::transport
