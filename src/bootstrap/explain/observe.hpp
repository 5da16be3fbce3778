#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/explain/pending.hpp"
#include "space/control.hpp"

// What a job's ranks are doing at one moment, read from its memory files without asking any of
// them: by the launcher for its stall report, by `armature inspect` from another process. Nothing
// read here is trusted: a rank may have died, or be anywhere in the middle of writing.

namespace armature::bootstrap {

/// The bands of a job, read through their files. Borrows the descriptors.
struct BandFiles {
  std::vector<int> fds;  // of rank r: fds[r]; of virtual ranks fds[n] for all, as node n has them
  std::vector<int> controls;  // of several nodes: the control block of each

  /// Where ranks of that node find what they wait for.
  [[nodiscard]] BandFiles of_node(const space::ControlHeader& header, int node) const;

  /// The rank whose band holds that address, or -1.
  [[nodiscard]] static int owner(const space::ControlHeader& header, std::uint64_t address);
  struct Place {
    int file = -1;
    std::uint64_t offset = 0;
  };
  /// Where these bytes are; nothing when they lie in no band, or not in one only.
  [[nodiscard]] std::optional<Place> find(const space::ControlHeader& header, std::uint64_t address,
                                          std::size_t bytes) const;
  /// False when they are nowhere.
  bool read(const space::ControlHeader& header, std::uint64_t address, void* to,
            std::size_t bytes) const;
};

/// `control`, a node's, as if it had the slots of all ranks: those of ranks that are on the node of
/// `other_file`, another control block of the job, are seen there from now on. False when that
/// cannot be mapped.
bool show_slots_of(const space::Control& control, int other_file, bool writable);
/// The same of one rank, wherever it is said to be.
bool show_slot(const space::Control& control, int rank, int other_file, bool writable);

/// Which members of a team have not entered the round, or the fence's wave, that somebody waits
/// for.
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
  int tid = 0;             // of the thread that runs it; 0 until it runs
  int process = 0;         // which of the job's
  int runs_instead = -1;   // of a virtual rank: whose turn it is in its process, if another's
  bool is_ready = false;   // of a virtual rank: it has yet to look, when its turn comes
  bool elsewhere = false;  // on a node whose control block is not seen here
  char process_state = 0;  // as in /proc/PID/stat: R, S, D, T, t, Z; 0 where it cannot be read
  Wait wait;
  std::shared_ptr<const Round> round;  // of a barrier, collective or fence; all who wait share it
  Pending pending;
  bool moving = false;  // was doing something else a moment ago

  /// It has yet to begin: its process connects to others (wait/connecting.hpp).
  [[nodiscard]] bool is_connecting() const {
    return life == space::Life::starting && wait.awaiting == space::Awaiting::team;
  }
  /// Its program has not called armature::run, as far as can be seen here.
  [[nodiscard]] bool is_awaited_by_all() const {
    return life == space::Life::starting && !elsewhere && !is_connecting() && runs_instead < 0;
  }
};

struct Snapshot {
  std::uint64_t now_ns = 0;
  std::uint64_t started_ns = 0;
  std::uint64_t band_base = 0;
  std::uint64_t band_bytes = 0;
  std::uint32_t processes = 0;
  std::vector<RankState> ranks;
};

Snapshot observe(const space::Control& control, const BandFiles& files);

/// Marks as moving who does something else than in the earlier snapshot: a wait that ends by itself
/// must not be taken for part of a deadlock.
void mark_moving(Snapshot& now, const Snapshot& earlier);

}  // namespace armature::bootstrap
