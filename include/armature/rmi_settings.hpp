#pragma once

#include <cstddef>
#include <cstdint>

#include "armature/detail/export.hpp"

namespace armature {

/// How a rank sends and executes remote calls. Set at launch (`armature run --aggregation ...`) or
/// by the rank itself with set_rmi_settings().
struct RmiSettings {
  /// How many calls to one rank travel together (armi-rmi-2003, 4.2). 0: adaptive, that is each is
  /// visible at once, and a receiver that is behind takes all there are.
  std::uint32_t aggregation = 0;
  /// Every so many calls, incoming ones are executed (armi-rmi-2003, 4.2.1). 0: never while
  /// calling.
  std::uint32_t poll_every = 64;
  /// How many methods may be in execution on a rank at once, each waiting for an answer while the
  /// next runs; and how deep a chain of two-way calls may be. At most 250.
  std::uint32_t nesting_max = 64;
  /// The size of each channel: bytes on the way to one rank. A power of two, 32 KiB to 1 MiB;
  /// counts for channels that are opened later.
  std::uint64_t channel_bytes = 64 * 1024;
  /// Whether a second thread executes incoming calls, for ranks that compute for long (the paper's
  /// communication thread, armi-rmi-2003, 4.2.1). It sleeps while there are none. By default the
  /// rank itself executes calls, when it calls, waits or polls. Methods still run one at a time,
  /// but then beside what the rank itself does. Chosen at launch (`armature run
  /// --service-threads`); cannot be changed.
  bool service_thread = false;
  /// Whether threads that the program starts may make remote calls for the rank: one-way, two-way
  /// and split-phase ones (docs/guide/threads.md). Each call of the rank then takes a lock. Such
  /// threads execute no calls. For ranks that are processes. Set by the rank's own thread, outside
  /// remote methods, while no other thread calls (or `armature run --program-threads`).
  bool program_threads = false;
};

[[nodiscard]] ARMATURE_API RmiSettings rmi_settings();
/// Throws Error(bad_argument) for what cannot be.
ARMATURE_API void set_rmi_settings(const RmiSettings& settings);

}  // namespace armature
