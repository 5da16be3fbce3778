#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armature/detail/view.hpp"
#include "space/control_header.hpp"
#include "space/levels.hpp"
#include "space/network_counters.hpp"
#include "space/new_connections.hpp"
#include "space/reserved_memory.hpp"

// The node's shared control block: what the processes of a job on one node, their launcher, and
// `armature inspect` know of each other. It lives in a memory file without a name, mapped by all of
// them; everything in it is plain data or a lock-free atomic, and has one writer unless said
// otherwise, so that a process killed at any instruction leaves nothing half done that others need.
//
// With several nodes each has a block of its own, with a slot for every rank of the job. What a
// block knows of ranks on other nodes was told to the node over the network.
//
// Layout: ControlHeader | RankSlot[ranks] | SegmentView[ranks] | RankHome[ranks] |
// ProcessSlot[ranks + coming_max], of which as many are used as there are processes |
// AddressSlot[ranks], on several nodes, unless ranks are virtual | CrashReport[ranks], which few
// ever say. A slot of a rank has a page of its own, with its crash report in it, since launchers
// map slots of several nodes side by side; virtual ranks of one node, of which there may be very
// many, share pages, and crash reports come last.

namespace armature::space {

enum class Life : std::uint32_t {
  starting,  // created, not yet in run()
  running,
  leaving,   // in finalize
  finished,  // left the job in order
  dead,      // died or left out of order; set by the launcher
};

/// The things that a rank may wait for, in the words of inspect and of the stall report.
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
  value,        // of words; object: the first; detail: the value; team: an AwaitedValue
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

/// The report that a rank writes before it dies of a signal, an exception or abort().
struct CrashReport {
  static constexpr std::size_t frames_max = 64;
  static constexpr std::size_t text_max = 1536;

  std::atomic<std::uint32_t> taken{0};  // 1: the launcher has read it, the rank may go. Release.
  std::int32_t signal = 0;              // or 0
  std::int32_t was_sent = 0;            // by some process: it has no fault address
  std::int32_t status = 0;              // exit status asked for by abort()
  std::int32_t is_well = 0;             // the job is to end, and has not failed
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

/// The load of a virtual rank, written by the process that hosts it.
struct RankLoad {
  std::atomic<std::uint64_t> busy_ns{0};  // how long it has computed
  std::atomic<std::uint64_t> moves{0};
  std::atomic<std::int32_t> goes_to{-1};  // where it is to be when all go on that are quiescent
};

/// The state of a rank that takes no requests in for now.
struct FullRank {
  // One of the ranks that must take some in first, its number + 1. A hint, as is the other.
  std::atomic<std::int32_t> until{0};
  // From which rank it had better take something in then (rmi/flow_cycle.hpp).
  std::atomic<std::int32_t> before{0};
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
  RankLoad load;
  FullRank full;
  std::atomic<std::uint32_t> urgency{0};  // of what has come for it; 0: as the rank itself

  alignas(64) WaitRecord wait;
};

/// The process and the node that a rank begins in, and stays in unless it is virtual. Those of all
/// ranks fill few pages, where their slots have a page each: a process that looks at all ranks when
/// it starts looks here.
struct RankHome {
  std::int32_t process = 0;
  std::int32_t node = 0;
};

/// The values of `asleep` for a virtual rank. Only the rank's process goes from awake to waits and
/// from woken to awake. The one that notifies the rank goes from waits to woken, and then puts it
/// into the list of those awake of its process.
struct ParkState {
  static constexpr std::uint32_t awake = 0, waits = 1, woken = 2;
};

/// A process that hosts virtual ranks. Whoever wakes it or sends it a rank writes its first line,
/// and reads the other lines, which change seldom. The domains are those of its virtual ranks; in
/// other jobs those of the rank with that number.
struct alignas(128) ProcessSlot : InDomains {
  std::atomic<std::uint32_t> awake{0};   // first of the list of those that were woken; 0: none
  std::atomic<std::uint32_t> asleep{0};  // 1: it has nothing to do, and sleeps or is about to
  std::atomic<std::uint32_t> notifications{0};  // futex word
  std::atomic<std::int32_t> running{-1};        // the rank whose turn it is
  std::atomic<std::uint32_t> has_urgent{0};     // 1: for one of its ranks, see RankSlot::urgency

  alignas(128) std::atomic<std::uint64_t> step{0};  // in a quiescence: see PhaseBarrier
  // It is of the job from reconfiguration number `since` on, and no more from `until` on; 0: for
  // ever. On several nodes `in_order`: no more, and it was not lost; `to_come`: not yet, and nobody
  // needs it; `admitted`: not yet, but this node will have it if all have (elastic/come.cpp).
  static constexpr std::uint32_t in_order = UINT32_MAX;
  static constexpr std::uint32_t to_come = UINT32_MAX - 1, admitted = UINT32_MAX - 2;
  std::atomic<std::uint32_t> since{0};
  std::atomic<std::uint32_t> until{0};
  std::atomic<std::uint32_t> joined{0};  // 1: it could host ranks, its addresses are the others'
  std::int32_t node = 0;                 // set before it starts
  std::atomic<std::uint32_t> wants_to_leave{0};  // 1: somebody has asked it to end
  // On several nodes, in the block of each: the launcher says that it is to leave, or to come. Then
  // the numbers of the quiescences in which it does, by the plans for them.
  enum class Change : std::uint32_t { none, leave, come };
  std::atomic<Change> is_to_change{Change::none};
  std::atomic<std::uint32_t> leaves{0};  // at the end of that number; 0: it stays
  std::atomic<std::uint32_t> comes{0};
  // 1: one that is to come waits for others to connect to it. In the block of its own node.
  std::atomic<std::uint32_t> can_come{0};
  // Processes of other nodes to which it is connected. In the block of its own node.
  std::atomic<std::uint32_t> connections{0};
  // News of their teams from ranks that other nodes reach by this process, but that are in another:
  // address of the last; 0: none.
  std::atomic<std::uint64_t> team_news{0};
  // The placement of ranks of which it has taken those that are to run there.
  std::atomic<std::uint64_t> placement_epoch{0};
  ReservedByProcess memory;
  NetworkCounters network;

  [[nodiscard]] bool belongs(std::uint32_t reconfiguration) const {
    const std::uint32_t end = until.load(std::memory_order_acquire);
    return since.load(std::memory_order_acquire) <= reconfiguration &&
           (end == 0 || (end < admitted && reconfiguration < end));
  }
  /// On several nodes: it has handed over all that it hosted. Nobody misses it.
  [[nodiscard]] bool has_left() const { return until.load(std::memory_order_acquire) == in_order; }
  /// On several nodes: it has been started for the job, which does not have it yet.
  [[nodiscard]] bool is_to_come() const {
    const std::uint32_t end = until.load(std::memory_order_acquire);
    return end == to_come || end == admitted;
  }
};

/// How a process is reached from other nodes; on several nodes, where ranks are not virtual.
/// Written by one process of the node for all of it, see net/address_book.hpp.
struct AddressSlot {
  static constexpr std::size_t bytes_max = 1008;
  std::uint64_t services = 0;  // a hash of those that it has
  std::uint32_t bytes = 0;     // of its address; 0: too long for this slot
  std::byte address[bytes_max] = {};
};

static_assert(sizeof(RankSlot) == 384 && sizeof(RankSlot) + sizeof(CrashReport) <= 4096);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// A mapped control block.
struct Control {
  std::byte* start = nullptr;

  static constexpr std::uint32_t slot_page = 4096;
  /// Numbers for processes that come to a job of several nodes, beside those that it begins with.
  static constexpr std::uint32_t coming_max = 64;
  /// Does not depend on the number of processes and nodes: a job may restart on others, and has its
  /// memory where it was.
  [[nodiscard]] static std::uint32_t process_slots(const ControlHeader& header) {
    return header.ranks + coming_max;
  }

  [[nodiscard]] static std::uint32_t address_slots(const ControlHeader& header) {
    return header.nodes > 1 && header.ranks_are_virtual == 0 ? header.ranks : 0;
  }

  [[nodiscard]] static std::size_t bytes(const ControlHeader& header) {
    return bytes_in_use(header) +
           (header.layout.slot_bytes == slot_page ? 0 : header.ranks * sizeof(CrashReport));
  }
  /// All but crash reports that come last.
  [[nodiscard]] static std::size_t bytes_in_use(const ControlHeader& header) {
    return sizeof(ControlHeader) +
           header.ranks *
               (header.layout.slot_bytes + sizeof(detail::SegmentView) + sizeof(RankHome)) +
           process_slots(header) * sizeof(ProcessSlot) + alignof(ProcessSlot) +
           address_slots(header) * sizeof(AddressSlot);
  }
  [[nodiscard]] ControlHeader& header() const { return *reinterpret_cast<ControlHeader*>(start); }
  [[nodiscard]] RankSlot& slot(int rank) const {
    return *reinterpret_cast<RankSlot*>(start + sizeof(ControlHeader) +
                                        static_cast<std::size_t>(rank) *
                                            header().layout.slot_bytes);
  }
  [[nodiscard]] detail::SegmentView* segments() const {
    return reinterpret_cast<detail::SegmentView*>(
        start + sizeof(ControlHeader) + std::size_t{header().ranks} * header().layout.slot_bytes);
  }
  [[nodiscard]] RankHome& home(int rank) const {
    return reinterpret_cast<RankHome*>(segments() + header().ranks)[rank];
  }
  [[nodiscard]] ProcessSlot& process(int number) const {
    const std::size_t before = header().ranks * (sizeof(detail::SegmentView) + sizeof(RankHome));
    const std::size_t aligned =
        (before + alignof(ProcessSlot) - 1) / alignof(ProcessSlot) * alignof(ProcessSlot);
    return reinterpret_cast<ProcessSlot*>(reinterpret_cast<std::byte*>(segments()) +
                                          aligned)[number];
  }
  /// The domains that a rank is in now.
  [[nodiscard]] const Levels& levels(int rank) const {
    return process(header().ranks_are_virtual != 0
                       ? slot(rank).process.load(std::memory_order_relaxed)
                       : rank)
        .levels;
  }
  /// The slot of a process whose number is below address_slots().
  [[nodiscard]] AddressSlot& address(int process) const {
    return reinterpret_cast<AddressSlot*>(
        &this->process(static_cast<int>(process_slots(header()))))[process];
  }
  [[nodiscard]] CrashReport& crash_report(int rank) const {
    if (header().layout.slot_bytes == slot_page)
      return *reinterpret_cast<CrashReport*>(&slot(rank) + 1);
    return reinterpret_cast<CrashReport*>(
        &process(static_cast<int>(process_slots(header()))))[rank];
  }
};

}  // namespace armature::space
