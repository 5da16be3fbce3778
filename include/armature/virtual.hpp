#pragma once

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

// Ranks that share a thread: `armature run --virtual` (and --simulate) makes every rank a fiber,
// and runs another one where one waits. A program needs nothing of this to run so.

namespace armature {

/// The way in which a rank runs.
enum class RankKind {
  process,  ///< a process of its own
  thread,   ///< a thread of a process that hosts several
  fiber,    ///< the thread of its process, in turn with other ranks
};
/// Returns how the calling rank runs. Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API RankKind rank_kind();

/// Whether the memory there is not for other ranks, so that no transfer reaches it. That is the
/// process's own memory. For a virtual rank it is also the caller's stack, and what the caller has
/// allocated for itself. Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API bool is_private(const void* address);

/// Lets others run; for code that looks at something again and again without waiting in Armature.
/// Those are the ranks on this thread that are ready, if there are any. Where the rank has a thread
/// of its own, they are whoever wants its core: the kernel gives it to them, as by
/// std::this_thread::yield. Calls for this rank are not executed meanwhile (rmi_poll does both, the
/// latter where ranks share cores). Throws Error(misuse) outside run().
ARMATURE_API void yield();

/// Sets the priority of the calling virtual rank, -3 to 3; ranks begin with 0. Of the ready ranks
/// of a process, those with the highest priority run first, from the next turn on. No rank is
/// interrupted for it, and none starves: at least every 64th turn goes to each priority that has a
/// rank ready. It goes with a rank that moves. Calls for a rank are as urgent as the rank, or as
/// expedite() says. Where ranks have threads of their own it does nothing. Throws
/// Error(bad_argument) for other numbers, and Error(misuse) outside run().
ARMATURE_API void set_priority(int priority);
[[nodiscard]] ARMATURE_API int priority();

/// Makes all calls and messages urgent that the calling rank has sent to `rank` so far. If ranks
/// run in turn, that rank has its next turn as if this were its priority, unless its own is higher.
/// The receiver executes the calls then. What a rank sends to another stays in order: what was sent
/// before goes first. Calls that are held back for others to join them are sent. Not collective;
/// nothing is waited for. Where ranks have threads of their own that is all it does. Throws
/// Error(bad_argument) for other numbers than set_priority takes, Error(bad_rank), and
/// Error(misuse) outside run().
ARMATURE_API void expedite(Rank rank, int priority);

/// Goes on in another process of its node (migration, armci-on-charm-2006): when the call returns,
/// that process runs the rank, and process_of says so. Nothing is copied: the rank's stack, and
/// what it has allocated while it ran, stay where they are, with all that others have put there.
/// Puts, gets, atomics and remote calls to the rank go on meanwhile, in their order. Globals, files
/// and what else belongs to a process are those of the new one. At once when the rank is there
/// already; where there are several nodes, when what it has sent to others has been handled there.
/// Throws Error(bad_argument) when there is no such process on this node. Throws Error(misuse) when
/// the rank is not virtual, when it holds something that cannot move (Pinned), or when the
/// processes of this job differ. Then the rank stays, and the message tells what to do. Throws
/// Error(out_of_memory), the rank staying, where its segment has no room for what layers keep of it
/// in the process (layer/service.hpp).
ARMATURE_API void migrate(ProcessId process);
/// Moves all ranks at once, between any nodes (armci-on-charm-2006, section 4): each names its
/// destination, which may be where it is. Collective over all ranks; when the call returns, all are
/// there. Operations under way are finished first, fences included. The pages of a rank that were
/// touched go to another node, to the same addresses. The teams that it is in go on. Throws as
/// migrate() does, on all ranks when one of them cannot do what it asks for, and nobody moves.
ARMATURE_API void migrate_together(ProcessId process);
/// Whether migrate() would not throw, for a process of this node.
[[nodiscard]] ARMATURE_API bool can_migrate();

/// Has that many processes host the ranks of the job. New ones are started, or some hand their
/// ranks over and end. Then each hosts the same number of ranks. If what ranks compute is measured
/// (rebalance(), --balance), each gets the same load instead. All ranks go on meanwhile. A rank
/// that holds something that cannot move (Pinned) stays, and its process with it. For one rank to
/// call; when several do, the last is right. Waits until it is done, which is when every rank has
/// waited or yielded once. Throws Error(bad_argument) for less than 1 process, or more than there
/// are ranks. Throws Error(misuse) when ranks cannot move, or it cannot be done. The message tells
/// why, and the job goes on.
///
/// On several nodes it returns at once, and is done in the next call in which all ranks meet:
/// checkpoint(), rebalance(), migrate_together(), with when_due or without. Where a node would keep
/// no process, all ranks are written to disk there and go on in new processes, as after a restart:
/// checkpoint() returns true in them. So it is where `armature run --hosts` has had the job
/// started. What cannot be is said by the launcher, and the job goes on. Throws Error(misuse) where
/// another launcher has started the job and nobody would start it anew.
ARMATURE_API void resize(int processes);
/// How many processes host virtual ranks now.
[[nodiscard]] ARMATURE_API int hosting_processes();

/// Keeps the rank that made it in its process, as long as it lives. It is for what cannot move,
/// such as an open request of another library, or a buffer that a device knows.
class ARMATURE_API Pinned {
 public:
  Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned();
};
using StaysHere [[deprecated("use Pinned")]] = Pinned;

}  // namespace armature
