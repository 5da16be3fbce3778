#pragma once

#include <atomic>
#include <cstdint>

#include "armature/detail/request.hpp"
#include "engines/fault_model.hpp"
#include "space/address_space.hpp"
#include "space/tie.hpp"
#include "wait/context_slot.hpp"
#include "wait/poller.hpp"
#include "wait/scheduler.hpp"
#include "wait/work_source.hpp"

namespace armature::wait {

class Modules;

/// All that is one rank's and not its process's. Whatever runs the rank (a process, a thread, a
/// fiber) does so with this as the calling rank's context. Nothing of a rank is kept in any other
/// thread-local or static: to switch ranks is to call set_this_rank.
struct RankContext {
  explicit RankContext(space::AddressSpace& the_space) : space(the_space) {}
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  space::AddressSpace& space;
  ContextSlots slots;              // of higher floors
  Scheduler* scheduler = nullptr;  // who runs other ranks on this thread; none for most
  Modules* modules = nullptr;      // its further threads of control, while there are some
  transport::FaultModel* fault_model = nullptr;  // of a simulation
  armature::detail::Sender* sender = nullptr;    // the inlined half's view of remote calls
  std::uint32_t held_here = 0;                   // Pinned: how many it has
  const space::Ties* ties = nullptr;             // of a virtual rank whose malloc is its own
  bool has_second_thread = false;                // which executes calls; set before it begins
  std::atomic<std::uint32_t> handler = 0;        // the thread in a layer's handler; 0: none
  std::atomic<bool> is_waiting = false;          // its own thread; relaxed, a hint for others
  std::atomic<bool> counts_elsewhere = false;    // relaxed: somebody wants to know the next
  std::uint64_t elsewhere_ns = 0;                // of its own thread (elsewhere.hpp)

  // The rank holds back what has come, until others have taken from it, or some time is over. So it
  // looks by itself, whatever it waits for; relaxed, as its own threads alone use it.
  std::atomic<bool> holds_back = false;

  // Counts what deliver() got done; relaxed, as it tells only whether there was something.
  std::atomic<std::uint64_t> done = 0;

  /// The tie that keeps it in its process.
  [[nodiscard]] space::Tie tie() const {
    if (held_here != 0) return space::Tie::stays_here;
    return ties != nullptr ? ties->tie() : space::Tie::none;
  }

  /// Takes in what has come, while waiting.
  void deliver() {
    if (Poller* const net = poller(); net != nullptr && net->try_poll())
      done.fetch_add(1, std::memory_order_relaxed);
    for (WorkSource* source = first_source_; source != nullptr; source = source->next_)
      source->deliver();
  }
  /// Whether deliver() would execute something; asked between two of its calls.
  [[nodiscard]] bool has_come() {
    for (WorkSource* source = first_source_; source != nullptr; source = source->next_)
      if (source->has_come()) return true;
    return false;
  }
  /// Takes in what has come from that rank. Returns whether there is more for deliver().
  [[nodiscard]] bool deliver_from(int rank) {
    bool has_more = false;
    for (WorkSource* source = first_source_; source != nullptr; source = source->next_)
      has_more |= source->deliver_from(rank);
    return has_more;
  }
  /// Whether there is something that deliver() would do; asked before falling asleep.
  [[nodiscard]] bool has_work() {
    for (WorkSource* source = first_source_; source != nullptr; source = source->next_)
      if (source->has_work()) return true;
    return false;
  }
  /// Lets others see what was held back for them; by a thread that the program has started.
  void publish();
  /// Takes in from the source, after those that are there, until it is taken away.
  void add(WorkSource& source);
  /// Does nothing where it is not there.
  void remove(const WorkSource& source);

 private:
  WorkSource* first_source_ = nullptr;
};

/// The calling rank's, or nullptr outside run().
RankContext* current_rank();
/// Whether the calling thread runs it; else the program has started the thread.
bool runs_rank();
/// The calling rank's; throws Error(misuse) naming the call when there is none.
RankContext& this_rank(const char* call);
/// A layer's handler must not wait: throws Error(misuse) naming the call where the calling thread
/// is in one of that rank's.
void refuse_in_handler(const RankContext& me, const char* call);
inline void require_no_handler(const RankContext& me, const char* call) {
  if (me.handler.load(std::memory_order_relaxed) != 0) [[unlikely]]
    refuse_in_handler(me, call);
}
/// For calls that threads make in turns, since they do what comes for the rank meanwhile. Throws
/// Error(misuse) naming the call where the rank's own thread is in a wait and another thread calls.
void require_turn(const RankContext& me, const char* call);
/// The mapping, for calls that any thread of the process may make, whether it runs a rank or not.
/// Throws Error(misuse) naming the call outside run().
const space::Mapping& mapping(const char* call);

/// The rank that the calling thread runs from now on; nullptr ends it.
void set_this_rank(RankContext* context);
/// Threads that run no rank are taken for this one: those that a program starts in a process of one
/// rank. nullptr ends it. Returns the one before.
RankContext* set_sole_rank(RankContext* context);

/// How deep the calling thread is in calls that count as one; to be used at once.
int& calls_of_thread();
/// A number of the calling thread among those of its process, from 1 on.
std::uint32_t number_of_thread();

/// Has messages name this rank until one runs: its process is joining the job.
void set_joining_rank(int rank);

}  // namespace armature::wait
