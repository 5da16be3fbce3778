#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "space/copy_choices.hpp"
#include "space/levels.hpp"
#include "space/quiesce_state.hpp"
#include "space/reserved_memory.hpp"
#include "space/tie.hpp"

// The first page of a node's control block: what holds for the job and for the node as a whole.

namespace armature::space {

inline constexpr std::uint64_t control_magic = 0x3142'4354'414d'5241;  // "ARMATCB1"
inline constexpr std::uint32_t control_version = 27;

/// The job's fate when a rank dies.
enum class OnDeath : std::uint32_t {
  end_job,
  go_on,
  recover,  // virtual ranks: all roll back to the last checkpoint in memory
};

/// Something that is done every so often, for all, and when that was last.
struct Recurring {
  std::atomic<std::uint64_t> last_ns{0};  // CLOCK_MONOTONIC; 0: never
  // 1: the program asks whether it is due (when_due).
  std::atomic<std::uint32_t> is_asked_for{0};

  /// When it is due next, in a job that has started then.
  [[nodiscard]] std::uint64_t due_ns(std::uint64_t every_ns, std::uint64_t started_ns) const {
    return std::max(last_ns.load(std::memory_order_acquire), started_ns) + every_ns;
  }
  /// Whether it is, and nobody else has found so: the caller does it.
  [[nodiscard]] bool take(std::uint64_t every_ns, std::uint64_t started_ns, std::uint64_t now_ns) {
    std::uint64_t last = last_ns.load(std::memory_order_acquire);
    return now_ns >= std::max(last, started_ns) + every_ns &&
           last_ns.compare_exchange_strong(last, now_ns, std::memory_order_acq_rel);
  }
};

/// On several nodes: how far a job is that is to go on in other processes. Ranks see to it at the
/// next call in which all meet.
enum class Restart : std::uint32_t {
  none,
  wanted,    // by whoever starts the new processes
  begun,     // by rank 0, on its node: ranks are about to be written, or the change is noted
  failed,    // they were not; Resize::problem says why
  complete,  // they are: all processes end
  change,    // by the launcher: some processes leave or come (ProcessSlot::is_to_change), no more
};

/// More processes for virtual ranks, or fewer: asked for by anybody, arranged by the launcher.
struct Resize {
  static constexpr std::size_t text_max = 256;

  // The number of the last request in the upper half, how many it wants in the lower one.
  std::atomic<std::uint64_t> wanted{0};
  // A part of `wanted`: the launcher has looked for the last time. Nobody asks here any more.
  static constexpr std::uint64_t is_closed = std::uint64_t{1} << 63;
  std::atomic<std::uint32_t> answered{0};  // number of the last one that is done with
  char refusal[text_max] = {};             // why that could not be; empty when it was
  // By the leader of a reconfiguration: a rank that holds its process in the job; -1: none.
  std::atomic<std::int32_t> holder{-1};
  std::atomic<Tie> holder_has{Tie::none};  // what keeps it there
  // On several nodes.
  std::atomic<Restart> restart{Restart::none};
  std::atomic<std::uint32_t> has_met{0};  // 1: the program makes calls in which all ranks meet
  char problem[text_max] = {};
  // By the launcher: how many processes it has started for the job so far, restarts included.
  std::atomic<std::uint32_t> started{0};
  std::atomic<std::uint64_t> looked_ns{0};  // when ranks have last looked for what is asked for
};

/// The layout of memory, at the same addresses in all processes.
struct JobLayout {
  std::uint32_t slot_bytes = 4096;  // from one slot to the next
  // The segments in each memory file, in the order of ranks; the last file may have fewer.
  std::uint32_t file_segments = 1;
  std::uint64_t segment_base = 0;  // address of rank 0's segment
  std::uint64_t segment_bytes =
      0;  // a power of two; rank r's begins at segment_base + r * segment_bytes
  std::uint64_t stack_bytes = 0;  // of each fiber; a multiple of the page size

  struct FilePlace {
    std::size_t file = 0;  // its number
    std::uint64_t offset = 0;
  };
  /// The place where a rank's segment begins.
  [[nodiscard]] FilePlace file_place(std::uint32_t rank) const {
    const std::uint32_t in_file =
        std::max(file_segments, 1u);  // of a block that is overwritten, too
    return {rank / in_file, rank % in_file * segment_bytes};
  }
  [[nodiscard]] std::uint32_t files(std::uint32_t ranks) const {
    const std::uint32_t in_file = std::max(file_segments, 1u);
    return (ranks + in_file - 1) / in_file;
  }
};

/// The options of the job.
struct JobSettings {
  std::uint32_t cores = 1;       // that it may use on this node: more ranks than that must yield
  std::uint32_t check_full = 0;  // every address against the list of allocations, on every call
  OnDeath on_death = OnDeath::end_job;
  std::uint32_t balance = 0;       // 1: a process with nothing to do is given ranks of others
  std::uint32_t measures = 0;      // 1: from the start, how long each rank computes
  std::uint32_t reproducible = 0;  // 1: reductions combine in one order, however they are made
  std::uint32_t keeps_copies = 0;  // 1: behind the segments' file there are two for copies of it
};

/// A seed decides what happens when; see ControlHeader::is_one_process().
struct Simulation {
  std::uint32_t on = 0;      // 1: it does
  std::uint32_t deaths = 0;  // so many processes of the job are killed
  std::uint32_t leaves = 0;  // so many are asked to leave
  std::uint32_t joins = 0;   // so many come later
  std::uint64_t seed = 0;
};

struct JobLauncher {
  std::int32_t pid = 0;
  // 1: `armature run` has started the job, and arranges what only a launcher can.
  std::uint32_t is_there = 0;
  // 1: it asks all processes to end. A signal of somebody else that a process has not taken yet
  // swallows the launcher's.
  std::atomic<std::uint32_t> ends_all{0};
};

/// Ranks that are in the job no more.
struct GoneRanks {
  // Written by the launcher: how many have died so far. Waiting ranks look at it.
  std::atomic<std::uint32_t> deaths{0};
  // Deaths among these on other nodes, which this node has been told of. Counted first.
  std::atomic<std::uint32_t> remote_deaths{0};
  // Counted when a rank's slot says that it has left the job, by each who learns of it: as long as
  // nobody has, nobody need look at all whom he waits for.
  std::atomic<std::uint32_t> left{0};
};

/// In what the processes of this node are the same, or not.
struct Sameness {
  // A hash of what services they have, by the first that joins: all have the same.
  std::atomic<std::uint64_t> services{0};
  // Virtual ranks may move between processes whose code and data lie at equal addresses: a number
  // made of these by the first that joins, and how many processes have found another one.
  std::atomic<std::uint64_t> addresses{0};
  std::atomic<std::uint32_t> differ{0};
  std::atomic<std::uint32_t> joined{0};  // processes that have compared
};

/// The part of the job that is on this node. Ranks change nodes while all processes are quiescent.
struct NodePart {
  std::uint32_t ranks = 0, processes = 0;
  // Ranks that have left the job: when all have, the node's processes end.
  std::atomic<std::uint32_t> finished{0};
  // The end of a job whose processes connect at first use (net/farewell.hpp): how many of the
  // node's have nothing more on its way, and 1 when no process of the job has. A futex word.
  std::atomic<std::uint32_t> parting{0}, all_part{0};
  // 1: the node's AddressSlots are written. A futex word.
  std::atomic<std::uint32_t> has_addresses{0};
  // A process with nothing to do, its number + 1; 0: none.
  std::atomic<std::uint32_t> steal_request{0};
  Levels levels;  // how many domains the job has of each
};

/// The work that is done every so often, for all.
struct RecurringWork {
  Recurring checkpoints, copies, rebalances;  // to disk; in memory; of ranks
};

struct alignas(4096) ControlHeader {
  std::uint64_t magic = control_magic;
  std::uint32_t version = control_version;
  std::uint32_t ranks = 0;
  std::uint32_t processes = 0;  // that host them, have, or are to come: their numbers end there
  std::uint32_t ranks_are_virtual =
      0;  // 1: fibers, each on a stack in its segment; one memory file
  JobLayout layout;
  JobSettings settings;
  Simulation simulation;
  JobLauncher launcher;
  std::uint64_t started_ns = 0;  // CLOCK_MONOTONIC
  std::int32_t node = 0;         // which of the job's this is
  std::int32_t nodes = 1;

  alignas(64) GoneRanks gone;
  alignas(64) Sameness alike;
  NodePart here;
  alignas(64) QuiesceState quiesce;
  Resize resize;
  RecurringWork every;
  alignas(64) ReservedMemory reserved;  // of this node's memory
  alignas(64) CopyChoices copies_by;

  /// The number of the placement of ranks on processes that is in force: another one each time
  /// ranks were placed while all were quiescent.
  [[nodiscard]] std::uint64_t placement_epoch() const {
    const std::uint64_t over = nodes > 1 ? quiesce.over.load(std::memory_order_acquire) : 0;
    return std::uint64_t{quiesce.epoch.entered.load(std::memory_order_acquire)} << 32 | over;
  }
  /// Whether it is a simulation that has all ranks, and all processes of virtual ones, in one.
  [[nodiscard]] bool is_one_process() const {
    return simulation.on != 0 && nodes == 1 &&
           simulation.deaths + simulation.leaves + simulation.joins == 0;
  }
  /// Or one whose processes are real ones, of which one at a time acts.
  [[nodiscard]] bool acts_in_turn() const { return simulation.on != 0 && !is_one_process(); }
  /// Whether virtual ranks may go from any process to any other. Known when all have joined; one
  /// that joins later may differ. Not in a job that goes on after deaths: a rank that is on its way
  /// to a process that dies would be neither dead nor taken.
  [[nodiscard]] bool ranks_may_move() const {
    return settings.on_death != OnDeath::go_on && alike.differ.load(std::memory_order_relaxed) == 0;
  }
  /// Whether what they have may be written, to go on in other processes.
  [[nodiscard]] bool ranks_may_be_written() const {
    return nodes == 1 ? alike.differ.load(std::memory_order_relaxed) == 0 : ranks_may_move();
  }
  /// Whether all of this node's virtual ranks have left the job or died.
  [[nodiscard]] bool all_have_finished() const {
    const std::uint32_t died = gone.deaths.load(std::memory_order_acquire) -
                               gone.remote_deaths.load(std::memory_order_acquire);
    return static_cast<std::int32_t>(here.finished.load(std::memory_order_acquire) + died -
                                     here.ranks) >= 0;
  }
  /// Whether all of this node's processes of virtual ranks have joined.
  [[nodiscard]] bool all_have_joined() const {
    // On one node there may be more than there were.
    return alike.joined.load(std::memory_order_acquire) >= (nodes > 1 ? here.processes : processes);
  }
};

static_assert(sizeof(ControlHeader) == 4096);

}  // namespace armature::space
