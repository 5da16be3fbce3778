#pragma once

#include <cstdint>
#include <string>

namespace armature::net {

/// The name of the setting: how a process serves other nodes while its ranks compute. It may be
/// sleep, poll or auto, which is the default.
inline constexpr const char* server_variable = "ARMATURE_NET_SERVER";

/// The ways of the thread that does so.
enum class ServerWay : std::uint8_t {
  sleeps,  // in the kernel until something comes: it takes no core, and each request wakes it
  polls    // all the time: nothing that comes has to wake it, and it takes a core
};

/// A way, and why it was taken.
struct ServerChoice {
  ServerWay way = ServerWay::sleeps;
  std::string why;
};

/// Chooses the way on a machine with so many cores for the job, which has so many threads there
/// that run ranks or serve. The server polls by itself where each of them has a core, and there are
/// four cores at least: on fewer, what else runs there has none. A program's own threads need
/// cores, too, and cores that ranks leave free are most often left to those. So OMP_NUM_THREADS
/// must say how many a rank has. Throws Error(start) where the setting is none of its words.
[[nodiscard]] ServerChoice choose_server(int threads, int cores);

}  // namespace armature::net
