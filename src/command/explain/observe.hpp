#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command/explain/learned_words.hpp"
#include "command/explain/network_seen.hpp"
#include "command/explain/pending.hpp"
#include "command/explain/segment_files.hpp"
#include "space/control.hpp"

// A look at what a job's ranks are doing at one moment, read from its memory files without asking
// any of them. The launcher takes it for its stall report, `armature inspect` from another process.
// Nothing read here is trusted: a rank may have died, or be anywhere in the middle of writing.

namespace armature::command {

/// Lists the members of a team that have not entered the round, or the fence's wave, that somebody
/// waits for.
struct Round {
  std::vector<int> missing;      // ranks, in the team's order
  std::string missing_in_words;  // "ranks 0 and 1"
  // Remote calls, as those that have entered the wave said there; of fences.
  std::uint64_t sent = 0;
  std::uint64_t executed = 0;
};

struct Wait {
  space::Awaiting awaiting = space::Awaiting::nothing;
  int peer = -1;
  std::uint32_t team = 0;
  std::uint64_t object = 0;
  std::uint64_t detail = 0;
  std::uint64_t since_ns = 0;
  std::uint32_t sequence = 0;  // of the record: another number is another wait
};

struct RankState {
  space::Life life = space::Life::starting;
  int pid = 0;
  int tid = 0;            // of the thread that runs it; 0 until it runs
  int process = 0;        // which of the job's
  int runs_instead = -1;  // of a virtual rank: whose turn it is in its process, if another's
  bool is_ready = false;  // of a virtual rank: it has yet to look, when its turn comes
  // Processes of other nodes to which its process is connected; 0 in a job of one node.
  std::uint32_t connections = 0;
  NetworkSeen network;     // of its process
  bool elsewhere = false;  // on a node whose control block is not seen here
  char process_state = 0;  // as in /proc/PID/stat: R, S, D, T, t, Z; 0 where it cannot be read
  Wait wait;
  std::shared_ptr<const Round> round;  // of a barrier, collective or fence; all who wait share it
  Pending pending;
  bool moving = false;  // was doing something else a moment ago

  /// True while the rank has yet to begin: its process connects to others (wait/connecting.hpp).
  [[nodiscard]] bool is_connecting() const {
    return life == space::Life::starting && wait.awaiting == space::Awaiting::team;
  }
  /// The rank's program has not called armature::run, as far as can be seen here.
  [[nodiscard]] bool is_awaited_by_all() const {
    return life == space::Life::starting && !elsewhere && !is_connecting() && runs_instead < 0;
  }
};

struct Snapshot {
  std::uint64_t now_ns = 0;
  std::uint64_t started_ns = 0;
  std::uint64_t segment_base = 0;
  std::uint64_t segment_bytes = 0;
  std::uint32_t processes = 0;
  std::vector<RankState> ranks;
  std::vector<LearnedWords> learned;  // of the team of all, and of teams that ranks wait in
};

Snapshot observe(const space::Control& control, const SegmentFiles& files);

/// Marks as moving who does something else than in the earlier snapshot: a wait that ends by itself
/// must not be taken for part of a deadlock.
void mark_moving(Snapshot& now, const Snapshot& earlier);

}  // namespace armature::command
