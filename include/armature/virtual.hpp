#pragma once

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

// Ranks that share a thread: `armature run --virtual` (and --simulate) makes every rank a fiber,
// and runs another one where one waits. A program needs nothing of this to run so.

namespace armature {

/// What runs a rank.
enum class RankKind {
  process,  ///< a process of its own
  thread,   ///< a thread of a process that hosts several
  fiber,    ///< the thread of its process, in turn with other ranks
};
/// What runs the calling rank. Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API RankKind rank_kind();

/// Whether what lies there is not for other ranks, so that no transfer reaches it: the process's
/// own memory, and of a virtual rank, which is the calling one, its stack and what it has allocated
/// for itself. Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API bool is_private(const void* address);

/// Lets the other ranks on this thread run that are ready, if there are any; for code that looks at
/// something again and again without waiting in Armature. Calls for this rank are not executed
/// meanwhile (rmi_poll does both). Throws Error(misuse) outside run().
ARMATURE_API void yield();

/// How urgent the calling virtual rank is: of those of a process that are ready, the ones with the
/// highest priority have their turns first, from the next turn on. -3 to 3; 0 is what ranks begin
/// with. Nobody is interrupted for it, and nobody starves: at least every 64th turn goes to each
/// priority that has a rank ready. It goes with a rank that moves. Calls for a rank are as urgent
/// as the rank, or as expedite() says. Where ranks have threads of their own it does nothing.
/// Throws Error(bad_argument) for other numbers, and Error(misuse) outside run().
ARMATURE_API void set_priority(int priority);
[[nodiscard]] ARMATURE_API int priority();

/// Makes what the calling rank has sent to `rank` so far urgent, calls and messages: where ranks
/// have turns, that one has its next turn as if this were its priority, unless its own is higher
/// anyway, and executes the calls then. The order of what a rank sends to another stays: what was
/// sent before goes first. Calls that are held back for others to join them are sent. Not
/// collective; nothing is waited for. Where ranks have threads of their own that is all it does.
/// Throws Error(bad_argument) for other numbers than set_priority takes, Error(bad_rank), and
/// Error(misuse) outside run().
ARMATURE_API void expedite(Rank rank, int priority);

/// Goes on in another process of its node (migration, armci-on-charm-2006): when the call
/// returns, that process runs the rank, and process_of says so. Nothing is copied: what the rank
/// has on its stack, and has allocated while it ran, is where it was, and so is what others have
/// put there; puts, gets, atomics and remote calls to the rank go on meanwhile, in their order.
/// Globals, files and what else belongs to a process are those of the new one. At once when the
/// rank is there already; where there are several nodes, when what it has sent to others has been
/// handled there. Throws Error(bad_argument) when there is no such process on this node, and
/// Error(misuse), the rank staying where it is, when it is no virtual rank, holds something that
/// cannot move (StaysHere), or when the processes of this job differ; the message says what to do.
/// Throws Error(out_of_memory), the rank staying, where its segment has no room for what layers
/// keep of it in the process (layer/service.hpp).
ARMATURE_API void migrate(ProcessId process);
/// The same for all ranks at once, between any nodes (armci-on-charm-2006, section 4): each says
/// where it goes on, which may be where it is. Collective over all ranks; when the call returns all
/// are there. What is under way is finished first, fences included. To another node go the pages of
/// a rank's memory that were touched, to the same addresses; the teams that it is in go on. Throws
/// as migrate() does, on all ranks when one of them cannot do what it asks for, and nobody moves.
ARMATURE_API void migrate_together(ProcessId process);
/// Whether migrate() would not throw, for a process of this node.
[[nodiscard]] ARMATURE_API bool can_migrate();

/// Has that many processes host the ranks of the job: more are started, or some hand their ranks
/// over and end, and then each hosts as many ranks as the others, or, where what they compute is
/// measured (rebalance(), --balance), has as much to compute. All ranks go on meanwhile, and
/// are not asked; whoever holds something that cannot move (StaysHere) stays, and its process with
/// it. For one rank to call; when several do, the last is right. Waits until it is done, which is
/// when every rank has waited or yielded once. Throws Error(bad_argument) for less than 1 or more
/// than there are ranks, and Error(misuse) when ranks cannot move or it cannot be done; the message
/// says why, and the job goes on.
///
/// On several nodes it returns at once, and is done in the next call in which all ranks meet:
/// checkpoint(), rebalance(), migrate_together(), with when_due or without. There all are written
/// to disk and go on in new processes, as after a restart: checkpoint() returns true in them. What
/// cannot be is said by the launcher, and the job goes on. Throws Error(misuse) where another
/// launcher has started the job and nobody would start it anew.
ARMATURE_API void resize(int processes);
/// How many host them now.
[[nodiscard]] ARMATURE_API int hosting_processes();

/// As long as one of these lives, the rank that made it stays in its process: for what cannot move,
/// such as an open request of another library or a buffer that a device knows.
class ARMATURE_API StaysHere {
 public:
  StaysHere();
  StaysHere(const StaysHere&) = delete;
  StaysHere& operator=(const StaysHere&) = delete;
  ~StaysHere();
};

}  // namespace armature
