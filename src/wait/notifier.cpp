#include "wait/notifier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/futex.hpp"
#include "base/interleaving.hpp"
#include "base/runtime.hpp"
#include "wait/poller.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"

namespace armature::wait {
namespace {

struct Notifiers {
  space::Control control;
  bool membarrier_works = false;
  bool wakers_are_here = false;  // ranks of this process are woken by threads of it alone
  bool ranks_are_virtual = false;
};
Notifiers& notifiers() { return base::state<Notifiers>(); }

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

void change_and_wake(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  base::futex_wake(word);
}

/// Meanwhile the network is somebody else's, and so is the core, unless a rank computes there.
class Asleep {
 public:
  explicit Asleep(bool leaves_its_core = true) : net_(poller()), leaves_its_core_(leaves_its_core) {
    if (net_ != nullptr)
      leaves_its_core ? net_->thread().rank_parks() : net_->thread().leave_to_thread();
  }
  ~Asleep() {
    if (net_ != nullptr && leaves_its_core_) net_->thread().rank_resumes();
  }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  Poller* const net_;
  const bool leaves_its_core_;
};

/// Only one of several that notify at once wakes it.
bool takes(space::RankSlot& slot) {
  std::uint32_t waits = space::ParkState::waits;
  return slot.asleep.compare_exchange_strong(waits, space::ParkState::woken,
                                             std::memory_order_acq_rel);
}

void wake_virtual(space::RankSlot& slot) {
  const RankContext* me = current_rank();
  if (!takes(slot)) return;
  base::let_others_act();
  const int process = slot.process.load(std::memory_order_acquire);
  if (me != nullptr && me->scheduler != nullptr && me->scheduler->wakes(process, slot.rank)) return;
  wake(process, slot.rank);
}

}  // namespace

void wake(space::ProcessSlot& slot) { change_and_wake(slot.notifications); }

// The word was written before; a process that looks at its ranks' words has read `notifications`
// before that, and does not sleep when it has changed. Or it sleeps already, which is seen here.
void notify_gathered() {
  const space::Control& control = notifiers().control;
  for (std::uint32_t process = 0; process < control.header().processes; ++process) {
    space::ProcessSlot& slot = control.process(static_cast<int>(process));
    slot.notifications.fetch_add(1, std::memory_order_seq_cst);
    base::let_others_act();
    if (slot.asleep.load(std::memory_order_seq_cst) != 0) base::futex_wake(slot.notifications);
  }
}

void wake(int process, int rank) {
  base::let_others_act();
  const space::Control& control = notifiers().control;
  space::ProcessSlot& home = control.process(process);
  std::uint32_t first = home.awake.load(std::memory_order_relaxed);
  do {
    control.slot(rank).next_awake.store(first, std::memory_order_relaxed);
    // Release: who takes the rank out sees what was done for it. And a full barrier, for the look
    // at whether the process sleeps.
  } while (!home.awake.compare_exchange_weak(first, static_cast<std::uint32_t>(rank) + 1,
                                             std::memory_order_seq_cst));
  base::let_others_act();
  if (home.asleep.load(std::memory_order_seq_cst) != 0) wake(home);
}

void rank_has_finished(space::ControlHeader& job) {
  job.here.finished.fetch_add(1, std::memory_order_acq_rel);
  if (job.all_have_finished()) wake_processes(notifiers().control);
}

namespace detail {
void wake(space::RankSlot& slot) {
  if (Poller* const net = poller();
      net != nullptr && slot.node != notifiers().control.header().node)
    return net->doorbell(slot.rank);
  if (notifiers().ranks_are_virtual) return wake_virtual(slot);
  if (const RankContext* const me = current_rank();
      me != nullptr && me->scheduler != nullptr && me->scheduler->wakes(0, slot.rank))
    return;
  change_and_wake(slot.notifications);
}
}  // namespace detail

// Every process of the job registers, so that a sleeper's barrier reaches it.
//
// A rank's condition becomes true by a store of a thread of its node, which then looks at `asleep`.
// What other nodes send is stored by a thread of this process. Where the node has one process, all
// these threads are here. Then the private barrier reaches all of them, and the kernel need not
// look what runs on other cores. The launcher wakes without a look at `asleep`. Virtual ranks are
// left out, as processes may join theirs.
void prepare_notifiers(const space::ControlHeader& job) {
  Notifiers& here = notifiers();
  here.control.start = reinterpret_cast<std::byte*>(const_cast<space::ControlHeader*>(&job));
  here.ranks_are_virtual = job.ranks_are_virtual != 0;
  here.membarrier_works = membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
  here.wakers_are_here = job.here.processes == 1 && !here.ranks_are_virtual &&
                         job.simulation.on == 0 &&
                         membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

bool notifiers_work() { return notifiers().membarrier_works; }

void barrier_of_sleepers() {
  if (notifiers().wakers_are_here)
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  else if (notifiers().membarrier_works)
    membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void sleep(space::ProcessSlot& slot, std::uint32_t times, long timeout_ns) {
  slot.asleep.store(1, std::memory_order_seq_cst);
  if (slot.awake.load(std::memory_order_seq_cst) == 0) {
    const Asleep asleep;
    base::futex_wait(slot.notifications, times, timeout_ns);
  }
  slot.asleep.store(0, std::memory_order_relaxed);
}

void sleep(space::RankSlot& slot, bool (*ready)(void*), void* condition, Notified how,
           long timeout_ns) {
  const std::uint32_t seen = slot.notifications.load(std::memory_order_acquire);
  slot.asleep.fetch_add(1, std::memory_order_seq_cst);
  if (how == Notified::surely) barrier_of_sleepers();
  if (!ready(condition)) {
    // The rank may compute while this thread sleeps, where a second thread executes calls.
    const Asleep asleep(slot.tid.load(std::memory_order_relaxed) == gettid());
    base::futex_wait(slot.notifications, seen, timeout_ns);
  }
  slot.asleep.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace armature::wait
