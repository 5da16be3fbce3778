#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armature/detail/view.hpp"
#include "space/copy_choices.hpp"
#include "space/new_connections.hpp"
#include "space/quiesce_state.hpp"
#include "space/reserved_memory.hpp"
#include "space/tie.hpp"

// The node's shared control block: what the processes of a job on one node, their launcher, and
// `armature inspect` know of each other. It lives in a memory file without a name, mapped by all of
// them; everything in it is plain data or a lock-free atomic, and has one writer unless said
// otherwise, so that a process killed at any instruction leaves nothing half done that others need.
//
// With several nodes each has a block of its own, with a slot for every rank of the job. What a
// block knows of ranks on other nodes was told to the node over the network.
//
// Layout: ControlHeader | RankSlot[ranks] | SegmentView[ranks] | ProcessSlot[ranks], of which as
// many are used as there are processes | CrashReport[ranks], which few ever say. A slot has a page
// of its own, with its crash report in it, since launchers map slots of several nodes side by side;
// virtual ranks of one node, of which there may be very many, share pages, and crash reports come
// last.

namespace armature::space {

inline constexpr std::uint64_t control_magic = 0x3142'4354'414d'5241;  // "ARMATCB1"
inline constexpr std::uint32_t control_version = 19;

/// What becomes of the job when a rank dies.
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
  begun,     // by rank 0, on its node: ranks are about to be written, or those that leave are noted
  failed,    // they were not; Resize::problem says why
  complete,  // they are: all processes end
  leaving,   // by the launcher: some processes are to leave (ProcessSlot::is_to_leave), no more
};

/// More processes for virtual ranks, or fewer: asked for by anybody, arranged by the launcher.
struct Resize {
  static constexpr std::size_t text_max = 256;

  // The number of the last request in the upper half, how many it wants in the lower one.
  std::atomic<std::uint64_t> wanted{0};
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

struct alignas(4096) ControlHeader {
  std::uint64_t magic = control_magic;
  std::uint32_t version = control_version;
  std::uint32_t ranks = 0;
  std::uint32_t processes = 0;      // that host them
  std::uint32_t slot_bytes = 4096;  // from one slot to the next
  std::uint64_t segment_base = 0;   // address of rank 0's segment
  std::uint64_t segment_bytes =
      0;  // a power of two; rank r's segment starts at segment_base + r * segment_bytes
  std::uint32_t cores = 1;  // that the job may use on this node: more ranks than that must yield
  std::uint32_t check_full = 0;  // every address against the list of allocations, on every call
  OnDeath on_death = OnDeath::end_job;
  std::int32_t launcher_pid = 0;
  // 1: `armature run` has started the job, and arranges what only a launcher can.
  std::uint32_t has_launcher = 0;
  // 1: `seed` decides what happens when; see is_one_process().
  std::uint32_t simulated = 0;
  std::uint32_t simulated_deaths = 0;  // so many of its processes are killed
  std::uint32_t simulated_leaves = 0;  // so many are asked to leave
  std::uint64_t seed = 0;
  std::uint32_t ranks_are_virtual =
      0;                          // 1: fibers, each on a stack in its segment; one memory file
  std::uint32_t balance = 0;      // 1: a process with nothing to do is given ranks of others
  std::uint32_t measures = 0;     // 1: from the start, how long each rank computes
  std::uint64_t stack_bytes = 0;  // of each such fiber; a multiple of the page size
  std::uint64_t started_ns = 0;   // CLOCK_MONOTONIC
  std::int32_t node = 0;          // which of the job's this is
  std::int32_t nodes = 1;
  std::uint32_t keeps_copies = 0;  // 1: behind the segments' file there are two for copies of it
  // Of these, those on this node. Ranks change nodes while all processes are quiescent.
  std::uint32_t ranks_here = 0, processes_here = 0;

  // Written by the launcher: how many ranks have died so far. Waiting ranks look at it.
  alignas(64) std::atomic<std::uint32_t> deaths{0};
  // Of these, those on other nodes, which this node has been told of. Counted first.
  std::atomic<std::uint32_t> remote_deaths{0};
  // Counted when a rank's slot says that it has left the job, by each who learns of it: as long as
  // nobody has, nobody need look at all whom he waits for.
  std::atomic<std::uint32_t> left{0};

  // A hash of what services its processes have, by the first that joins: all have the same.
  std::atomic<std::uint64_t> services{0};

  // Virtual ranks. They may move between processes whose code and data lie at equal addresses: a
  // number made of these by the first that joins, and how many processes have found another one.
  alignas(64) std::atomic<std::uint64_t> addresses{0};
  std::atomic<std::uint32_t> differ{0};
  std::atomic<std::uint32_t> joined{0};  // processes that have compared
  // 1: the launcher asks all processes to end. A signal of somebody else that a process has not
  // taken yet swallows the launcher's.
  std::atomic<std::uint32_t> is_to_end{0};
  // Ranks of this node that have left the job: when all have, its processes end.
  std::atomic<std::uint32_t> finished{0};
  std::atomic<std::uint32_t> steal_request{
      0};  // a process with nothing to do, its number + 1; 0: none
  alignas(64) QuiesceState quiesce;
  Resize resize;
  Recurring checkpoints, copies, rebalances;  // to disk; in memory; of ranks
  alignas(64) ReservedMemory reserved;        // of this node's memory
  alignas(64) CopyChoices copies_by;

  /// The number of the placement of ranks on processes that is in force: another one each time
  /// ranks were placed while all were quiescent.
  [[nodiscard]] std::uint64_t placement_epoch() const {
    const std::uint64_t over = nodes > 1 ? quiesce.over.load(std::memory_order_acquire) : 0;
    return std::uint64_t{quiesce.reconfigured.load(std::memory_order_acquire)} << 32 | over;
  }
  /// Whether it is a simulation that has all ranks, and all processes of virtual ones, in one.
  [[nodiscard]] bool is_one_process() const {
    return simulated != 0 && nodes == 1 && simulated_deaths + simulated_leaves == 0;
  }
  /// Or one whose processes are real ones, of which one at a time acts.
  [[nodiscard]] bool acts_in_turn() const { return simulated != 0 && !is_one_process(); }
  /// Whether virtual ranks may go from any process to any other. Known when all have joined; one
  /// that joins later may differ. Not in a job that goes on after deaths: a rank that is on its way
  /// to a process that dies would be neither dead nor taken.
  [[nodiscard]] bool ranks_may_move() const {
    return on_death != OnDeath::go_on && differ.load(std::memory_order_relaxed) == 0;
  }
  /// Whether what they have may be written, to go on in other processes.
  [[nodiscard]] bool ranks_may_be_written() const {
    return nodes == 1 ? differ.load(std::memory_order_relaxed) == 0 : ranks_may_move();
  }
  /// Whether all of this node's virtual ranks have left the job or died.
  [[nodiscard]] bool all_have_finished() const {
    const std::uint32_t died =
        deaths.load(std::memory_order_acquire) - remote_deaths.load(std::memory_order_acquire);
    return static_cast<std::int32_t>(finished.load(std::memory_order_acquire) + died -
                                     ranks_here) >= 0;
  }
  /// Whether all of this node's processes of virtual ranks have joined.
  [[nodiscard]] bool all_have_joined() const {
    // On one node there may be more than there were.
    return joined.load(std::memory_order_acquire) >= (nodes > 1 ? processes_here : processes);
  }
};

enum class Life : std::uint32_t {
  starting,  // created, not yet in run()
  running,
  leaving,   // in finalize
  finished,  // left the job in order
  dead,      // died or left out of order; set by the launcher
};

/// What a rank waits for, in the words of inspect and of the stall report.
enum class Awaiting : std::uint32_t {
  nothing,
  barrier,     // object: the team's block; detail: the barrier's number
  collective,  // the same, inside another collective
  mutex,       // object: the lock word; peer: the holder last seen; detail: index of the mutex
  element,     // the lock of a chunk under accumulate
  notify,      // peer: who should notify
  message,     // peer: who should send, or -1; detail: the tag
  room,        // peer: whose mailbox is full
  completion,  // a non-blocking operation; peer: to whom
  team,        // creation of a team; peer: its first member
  exit,        // the end of the job
  answer,      // the answer to a two-way call, or what a future waits for; peer: who was asked
  fence,    // rmi_fence; object: the team's block; peer: who has not come so far; detail: the wave
  request,  // rmi_wait: any request
  name,     // an object of that name; peer: at whom; object, detail: how the name begins
  initialiser,  // of a function's static; object: its guard; peer: who is in it, or -1
  condition,    // of a layer; object, detail: how its words begin; peer: who makes it true, or -1
};

/// Added to what a rank waits for while it does something for others: then it does not wait.
inline constexpr std::uint32_t interrupted_wait = 1u << 31;
constexpr Awaiting interrupted(Awaiting what) {
  return static_cast<Awaiting>(static_cast<std::uint32_t>(what) | interrupted_wait);
}
constexpr bool is_interrupted(Awaiting what) {
  return (static_cast<std::uint32_t>(what) & interrupted_wait) != 0;
}

/// Written by the rank alone, read by anyone: a sequence lock (odd while it changes).
struct WaitRecord {
  std::atomic<std::uint32_t> sequence{0};
  std::atomic<Awaiting> awaiting{Awaiting::nothing};
  std::atomic<std::int32_t> peer{-1};
  std::atomic<std::uint32_t> team{0};  // the team's id; 0 is the world
  std::atomic<std::uint64_t> object{0};
  std::atomic<std::uint64_t> detail{0};
  std::atomic<std::uint64_t> since_ns{0};  // CLOCK_MONOTONIC

  /// `nothing` also while the rank does something for others.
  [[nodiscard]] Awaiting waits_for() const {
    const Awaiting what = awaiting.load(std::memory_order_relaxed);
    return is_interrupted(what) ? Awaiting::nothing : what;
  }
};

/// What a rank says before it dies of a signal, an exception or abort().
struct CrashReport {
  static constexpr std::size_t frames_max = 64;
  static constexpr std::size_t text_max = 1536;

  std::atomic<std::uint32_t> taken{0};  // 1: the launcher has read it, the rank may go. Release.
  std::int32_t signal = 0;              // or 0
  std::int32_t was_sent = 0;            // by some process: it has no fault address
  std::int32_t status = 0;              // exit status asked for by abort()
  std::uint64_t fault_address = 0;      // of SIGSEGV and SIGBUS
  std::uint32_t frames = 0;
  std::uint64_t frame[frames_max] = {};  // return addresses, innermost first
  char text[text_max] = {};  // "exception std::runtime_error: ..." or what abort() was told
};

/// Hardware threads, one bit each. All zeros: none in particular.
struct Processors {
  static constexpr std::size_t count_max = 1024;
  std::uint64_t bits[count_max / 64] = {};
};

// Two lines that are next to each other are fetched together, so what others write begins at an
// even one.
struct alignas(128) RankSlot {
  std::atomic<Life> life{Life::starting};
  std::atomic<std::int32_t> pid{0};  // of the process that hosts the rank
  std::atomic<std::int32_t> tid{0};  // of the thread that runs it
  // Which process of the job hosts it, and which rank of that process it is at the start. A virtual
  // rank may move: whoever hosts it writes the process.
  std::atomic<std::int32_t> process{0};
  std::int32_t index = 0;
  std::int32_t node =
      0;  // set before the rank starts, as is the index, and while all are quiescent
  std::atomic<std::uint32_t> said{0};  // 1: its crash report is valid. Release by the rank.
  // Peers that have opened a mailbox, a channel to it.
  NewConnections mailboxes;
  NewConnections channels;
  Processors bound_to;  // set by the launcher before the rank starts
  LazyMemory lazy;      // changed by whoever acts for the rank, and by who counts its pages

  // The notifier: the one that makes true what a sleeping rank may wait for notifies it. See
  // wait/notifier.hpp.
  // How many threads of the rank sleep, or are about to: it, and its service thread if it has one.
  // Of a virtual rank, see ParkState. 1 for ever where the rank is on another node: the one that
  // notifies it has the network look.
  alignas(128) std::atomic<std::uint32_t> asleep{0};
  std::atomic<std::uint32_t> notifications{0};  // futex word
  std::int32_t rank = -1;                       // whose this is; set before the rank starts
  // The next in the list of ranks that their process is to run again: its number + 1, 0 ends it.
  std::atomic<std::uint32_t> next_awake{0};
  // Of a virtual rank, by whoever hosts it: how long it has computed, and how often it has moved.
  std::atomic<std::uint64_t> busy_ns{0};
  std::atomic<std::uint64_t> moves{0};
  std::atomic<std::int32_t> goes_to{-1};  // where it is to be when all go on that are quiescent
  // While it takes no requests in: one of the ranks that must take some in first, its number + 1. A
  // hint, as is which rank it had better take something in from then (rmi/flow_cycle.hpp).
  std::atomic<std::int32_t> full_until{0};
  std::atomic<std::int32_t> before_in_cycle{0};
  std::atomic<std::uint32_t> urgency{0};  // of what has come for it; 0: as the rank itself

  alignas(64) WaitRecord wait;
};

/// What `asleep` says of a virtual rank. Only the rank's process goes from awake to waits and from
/// woken to awake; the one that notifies it goes from waits to woken and then puts it into the list
/// of those awake of its process.
struct ParkState {
  static constexpr std::uint32_t awake = 0, waits = 1, woken = 2;
};

/// A process that hosts virtual ranks.
struct alignas(128) ProcessSlot {
  std::atomic<std::uint32_t> awake{0};   // first of the list of those that were woken; 0: none
  std::atomic<std::uint32_t> asleep{0};  // 1: it has nothing to do, and sleeps or is about to
  std::atomic<std::uint32_t> notifications{0};  // futex word
  std::atomic<std::int32_t> running{-1};        // the rank whose turn it is
  std::atomic<std::uint64_t> step{0};           // in a quiescence: see PhaseBarrier
  // It is of the job from reconfiguration number `since` on, and no more from `until` on; 0: for
  // ever; `in_order`: no more, and on several nodes it was not lost.
  static constexpr std::uint32_t in_order = UINT32_MAX;
  std::atomic<std::uint32_t> since{0};
  std::atomic<std::uint32_t> until{0};
  std::atomic<std::uint32_t> joined{0};  // 1: it could host ranks, its addresses are the others'
  std::int32_t node = 0;                 // set before it starts
  std::atomic<std::uint32_t> wants_to_leave{0};  // 1: somebody has asked it to end
  std::atomic<std::uint32_t> has_urgent{0};      // 1: for one of its ranks, see RankSlot::urgency
  // On several nodes, in the block of each: 1: the launcher says that it is to leave; and the
  // number of the quiescence at whose end it does, by the plan for that. 0: it stays.
  std::atomic<std::uint32_t> is_to_leave{0};
  std::atomic<std::uint32_t> leaves{0};  // at the end of that number
  // What ranks that other nodes reach by this process, but that are in another, tell it of their
  // teams: address of the last; 0: nothing.
  std::atomic<std::uint64_t> team_news{0};
  // The placement of ranks of which it has taken those that are to run there.
  std::atomic<std::uint64_t> placement_epoch{0};
  // Of the node's memory: what was promised to it and is not there yet; of this, what nothing was
  // allocated from. See Reservations.
  std::atomic<std::uint64_t> reserved{0};
  std::atomic<std::uint64_t> spare{0};

  [[nodiscard]] bool belongs(std::uint32_t reconfiguration) const {
    const std::uint32_t end = until.load(std::memory_order_acquire);
    return since.load(std::memory_order_acquire) <= reconfiguration && end != in_order &&
           (end == 0 || reconfiguration < end);
  }
  /// On several nodes: it has handed over all that it hosted. Nobody misses it.
  [[nodiscard]] bool has_left() const { return until.load(std::memory_order_acquire) == in_order; }
};

static_assert(sizeof(ControlHeader) == 4096);
static_assert(sizeof(RankSlot) == 384 && sizeof(RankSlot) + sizeof(CrashReport) <= 4096);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// A mapped control block.
struct Control {
  std::byte* start = nullptr;

  static constexpr std::uint32_t slot_page = 4096;

  [[nodiscard]] static std::size_t bytes(std::uint32_t ranks,
                                         std::uint32_t slot_bytes = slot_page) {
    return bytes_in_use(ranks, slot_bytes) +
           (slot_bytes == slot_page ? 0 : ranks * sizeof(CrashReport));
  }
  [[nodiscard]] static std::size_t bytes(const ControlHeader& header) {
    return bytes(header.ranks, header.slot_bytes);
  }
  /// All but crash reports that come last.
  [[nodiscard]] static std::size_t bytes_in_use(std::uint32_t ranks, std::uint32_t slot_bytes) {
    return sizeof(ControlHeader) +
           ranks * (slot_bytes + sizeof(detail::SegmentView) + sizeof(ProcessSlot)) +
           alignof(ProcessSlot);
  }
  [[nodiscard]] ControlHeader& header() const { return *reinterpret_cast<ControlHeader*>(start); }
  [[nodiscard]] RankSlot& slot(int rank) const {
    return *reinterpret_cast<RankSlot*>(start + sizeof(ControlHeader) +
                                        static_cast<std::size_t>(rank) * header().slot_bytes);
  }
  [[nodiscard]] detail::SegmentView* segments() const {
    return reinterpret_cast<detail::SegmentView*>(
        start + sizeof(ControlHeader) + std::size_t{header().ranks} * header().slot_bytes);
  }
  [[nodiscard]] ProcessSlot& process(int number) const {
    const std::size_t views = header().ranks * sizeof(detail::SegmentView);
    const std::size_t aligned =
        (views + alignof(ProcessSlot) - 1) / alignof(ProcessSlot) * alignof(ProcessSlot);
    return reinterpret_cast<ProcessSlot*>(reinterpret_cast<std::byte*>(segments()) +
                                          aligned)[number];
  }
  [[nodiscard]] CrashReport& crash_report(int rank) const {
    if (header().slot_bytes == slot_page) return *reinterpret_cast<CrashReport*>(&slot(rank) + 1);
    return reinterpret_cast<CrashReport*>(&process(static_cast<int>(header().ranks)))[rank];
  }
};

}  // namespace armature::space
