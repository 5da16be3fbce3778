#pragma once

#include <string>

namespace armature::bootstrap {

inline constexpr const char* node_variable = "ARMATURE_NODE";

/// A text that processes have in common if they can share memory files, and no others. It names the
/// running system (boot id, host name) and the namespaces in which they see each other. These are
/// the network's, as they meet at an abstract socket, and that of process numbers, as they watch
/// each other. Different mounts or users do not matter: the ranks of a job that is started as a
/// container each have their own. ARMATURE_NODE, if set, is part of it: to pretend several nodes on
/// one.
std::string node_identity();

/// This machine's name, for messages.
std::string host_name();

/// The time at which a process was started, in the kernel's ticks. With its number, it names that
/// process and no later one. 0 when there is none.
unsigned long long start_of_process(int pid);

}  // namespace armature::bootstrap
