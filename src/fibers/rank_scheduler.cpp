// Waiting costs a rank nothing but its turn. A rank that will be notified says so in its slot and
// is put aside. Its notifier puts it into the list of its process (wait/notifier.cpp), from where
// it goes into the queue of those that are ready.
//
// A notification may be missed by a rank that has looked at its condition, found it false, and is
// about to say that it waits. Where only ranks of this thread notify, nobody can come in between.
// Else a process makes all others pass a barrier, after which everyone sees what its ranks have
// said, and lets those look once more. It does so for many ranks at once: when nothing is ready, or
// now and then. See docs/internals/virtual.md.
#include "fibers/rank_scheduler.hpp"

#include <cstdlib>
#include <utility>

#include "base/interleaving.hpp"
#include "base/runtime.hpp"
#include "fibers/files_of_ranks.hpp"
#include "fibers/rank_malloc.hpp"
#include "fibers/rank_services.hpp"
#include "fibers/switch_ranks.hpp"
#include "fibers/work_stealing.hpp"
#include "net/network.hpp"
#include "wait/notifier.hpp"
#include "wait/processes.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {
namespace {

using space::ParkState;
using State = RankFiber::State;

// Turns between looks at what needs to be looked at only now and then.
constexpr std::uint32_t turns_per_poller = 64;
constexpr std::uint32_t turns_per_barrier = 1024;

struct Here {
  RankScheduler* scheduler = nullptr;
};

/// The progress thread polls again: who computes, or writes what ranks have, does not.
[[gnu::always_inline]] inline void resume_progress_thread() {
  if (net::Network* const net = net::network()) net->thread().resume();
}

/// Whether no rank of the job will have a turn in this process any more.
bool job_is_over(const ProcessRanks& ranks) {
  if (!ranks.residents.empty()) return false;
  const space::Mapping& mapping = ranks.host.mapping;
  const space::ControlHeader& job = mapping.header();
  // All may have to roll back as long as ranks run.
  return job.here.ranks == 0 || wait::recovers_on_nodes(job) ? wait::all_have_finished(mapping)
                                                             : job.all_have_finished();
}

}  // namespace

RankScheduler::RankScheduler(const space::Mapping& mapping, int process, int segment_file,
                             QuiesceBody& body)
    : ranks_(mapping, process, segment_file, *this), body_(body), idle_(ranks_, body, *this) {
  handoff_ = &turn_handoff_;
  // Each process has its own number under other launchers.
  space::use_segments_file(segment_file);
  space::SegmentHeap::let_others_run_by(wait::let_others_run);
  take_process();
}

void RankScheduler::take_process() { base::state<Here>().scheduler = this; }

RankScheduler::~RankScheduler() { base::state<Here>().scheduler = nullptr; }

// Never inlined: a rank may have come to another process, and keeps nothing of the one before.
[[gnu::noinline]] RankScheduler& RankScheduler::here() { return *base::state<Here>().scheduler; }

void RankScheduler::add(RankFiber& fiber) {
  ranks_.residents.note_guard(fiber);
  ranks_.host_rank(fiber);
}

/// The rank looks at its condition again, whatever it waited for, and whoever was about to wake it.
void RankScheduler::restore(RankFiber& fiber) {
  if (fiber.state == State::finished) return;
  fiber.waiting = {.looks = fiber.waiting.looks};
  fiber.slot->asleep.store(ParkState::awake, std::memory_order_relaxed);
  fiber.slot->pid.store(ranks_.host.pid, std::memory_order_relaxed);
  fiber.slot->tid.store(ranks_.host.tid, std::memory_order_relaxed);
  if (fiber.slot->load.busy_ns.load(std::memory_order_relaxed) != 0) ranks_.clock.measure();
  if (fiber.context != nullptr) fiber.context->scheduler = this;
  fiber.look_for_races();
  fiber.arrange_process(ranks_.host.mapping);
  unpack_services(fiber);
  add(fiber);
}

void RankScheduler::take_ranks() {
  const space::Mapping& mapping = ranks_.host.mapping;
  wait::start_waiting(mapping.header());
  ranks_.host.count_processes();
  ranks_.measure_if_wanted();
  ranks_.queue.clear();
  ranks_.sleeping.clear();
  ranks_.residents.clear();
  ranks_.gatherings.clear();
  ranks_.goes_to = -1;
  idle_.end();
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    if (mapping.slot(rank).process.load(std::memory_order_relaxed) == ranks_.host.number)
      restore(RankFiber::of(mapping, rank));
  ranks_.host.open_to_ranks();
}

/// Looks for ranks that others have woken.
[[gnu::always_inline]] inline void RankScheduler::take_in() {
  const space::ProcessSlot& home = ranks_.host.slot;
  if (home.has_urgent.load(std::memory_order_relaxed) != 0 && ranks_.queue.is_time_for_urgent())
      [[unlikely]] {
    ranks_.queue.expect_urgent();
    take_in_woken();
    return ranks_.queue.expedite();
  }
  if (home.awake.load(std::memory_order_relaxed) != 0) [[unlikely]]
    take_in_woken();
}

// -- switching ------------------------------------------------------------------------------------

[[gnu::always_inline]] inline RankFiber* RankScheduler::next() {
  if (ranks_.queue.count_turn() % turns_per_poller == 0) look_around();
  if (quiesces_) [[unlikely]]
    return nullptr;
  if (ranks_.host.balances && ranks_.host.mapping.header().here.steal_request.load(
                                  std::memory_order_relaxed) != 0) [[unlikely]]
    give_rank_away(ranks_);
  return ranks_.queue.pop();
}

namespace {

/// Touches what the next rank will need, where ranks are so many that neither caches nor the TLB
/// hold any of it. So all of it comes at once, instead of piece by piece as the rank comes to it.
/// These are loads since prefetches gained nothing, and loads a fifth of a barrier of 100,000.
[[gnu::always_inline]] inline void touch_next(const ProcessRanks& ranks) {
  constexpr std::size_t many = 1000, line = 64;
  if (ranks.residents.size() <= many) return;
  const RankFiber* const front = ranks.queue.front();
  if (front == nullptr || front->context == nullptr) return;  // or it has still to begin
  const auto touch = [](const void* at, std::size_t bytes) {
    const auto* const begin = static_cast<const volatile char*>(at);
    for (std::size_t i = 0; i < bytes; i += line) (void)begin[i];
  };
  if (front->next != nullptr) touch(front->next, 2 * line);
  touch(front->inside, 8 * line);  // of its stack, above which its record is
  touch(&front->slot->asleep, 4 * line);
  touch(front->context, sizeof *front->context);
}

}  // namespace

/// Gives the next turn away. No rank has handed its own over to this one, or not any more. Inlined:
/// each return behind a switch may be one that the processor has guessed wrong.
[[gnu::always_inline]] inline void RankScheduler::switch_from(RankFiber& me) {
  RankFiber* const to = next();
  if (to == &me) {
    me.state = State::running;
    return;
  }
  RankFiber& own = ranks_.stacks.own();
  RankFiber& other = to != nullptr ? *to : own;
  if (&other == &me) return;  // quiesces, and nobody's turn it was
  ranks_.stacks.leave(me);
  if (ranks_.clock.measures()) [[unlikely]]
    ranks_.clock.end_turn(&me == &own ? nullptr : &me);
  ranks_.host.slot.running.store(to != nullptr ? to->rank : -1, std::memory_order_relaxed);
  if (to != nullptr) {
    if (!to->waiting.looks) resume_progress_thread();
    if (ranks_.queue.some_are_urgent()) [[unlikely]]
      to->slot->urgency.store(0, std::memory_order_relaxed);  // it is its turn
  }
  touch_next(ranks_);
  switch_to(ranks_, other);
}

RankFiber& make_rank(const space::Mapping& mapping, int file, int rank, Life life) {
  return RankFiber::make(mapping, {.file = file,
                                   .rank = rank,
                                   .life = life,
                                   .entry = &RankScheduler::begin,
                                   .has_heap = malloc_knows_ranks()});
}

void RankScheduler::begin(boost::context::detail::transfer_t from) {
  settle_behind(from);
  const RankFiber& me = here().ranks_.stacks.running();
  me.life.live(me.rank, me.life.argument);
  end_files(me);
  here().depart();
}

void RankScheduler::depart() {
  RankFiber& me = ranks_.stacks.running();
  RankFiber& own = ranks_.stacks.own();
  turn_handoff_.end(me);
  ranks_.stacks.leave(me);
  if (ranks_.clock.measures()) ranks_.clock.end_turn(&me);
  me.be_awake();
  me.state = State::finished;
  ranks_.residents.remove(me);
  wait::rank_has_finished(ranks_.host.mapping.header());
  ranks_.host.slot.running.store(-1, std::memory_order_relaxed);
  switch_to(ranks_, own);
  std::abort();  // nobody resumes it
}

/// Now and then.
void RankScheduler::look_around() {
  const std::uint64_t now_ns = ranks_.clock.look();
  quiesces_ = is_quiesce_wanted(ranks_.host.mapping.header());
  (void)body_.give_back(now_ns, QuiesceBody::Pace::beside_ranks);
  if (some_files_are_left()) [[unlikely]]
    close_files_left(ranks_.host);
  (void)ranks_.queue.wake_poller();
  (void)ranks_.wake_sleepers();
  if (ranks_.queue.turns() % turns_per_barrier != 0) return;
  idle_.look_for_deaths();
  if (ranks_.residents.announced() != 0) idle_.look_at_announced(IdleLoop::Barrier::passed);
}

void RankScheduler::run() {
  ranks_.host.open_to_ranks();
  for (;;) {
    idle_.begin_round();
    if (job_is_over(ranks_)) break;
    if (is_quiesce_wanted(ranks_.host.mapping.header())) [[unlikely]] {
      resume_progress_thread();
      if (!body_.quiesce(*this)) break;  // it leaves, and nobody wakes it any more
      quiesces_ = false;
      (void)ranks_.clock.look();
    }
    take_in();
    if (ranks_.queue.empty()) idle_.idle();
    if (!ranks_.queue.empty()) switch_from(ranks_.stacks.own());
  }
  resume_progress_thread();
}

// -- what a rank asks for -------------------------------------------------------------------------

void RankScheduler::yield(bool /*made_progress*/) {
  turn_handoff_.end(ranks_.stacks.running());
  take_in();
  idle_.look_at_words_in_turn();  // whom this rank has released goes before its next turn
  if (ranks_.queue.empty()) {
    // The rank may go on so for long, and those that wait depend on a look around.
    if (ranks_.queue.count_turn() % turns_per_poller == 0) look_around();
    (void)ranks_.queue.wake_poller();
    if (ranks_.queue.empty() && !quiesces_) return;
  }
  RankFiber& me = ranks_.stacks.running();
  me.waiting.looks = false;
  ranks_.queue.push(me);
  switch_from(me);
}

void RankScheduler::sleep_until(std::uint64_t time_ns) {
  RankFiber& me = ranks_.stacks.running();
  me.waiting.looks = false;
  take_in();
  me.state = State::polls;  // whoever wakes it from a wait that it is in, too, lets it sleep on
  ranks_.sleeping.add(me, time_ns);
  turn_handoff_.end(me);
  switch_from(me);
}

wait::Turn RankScheduler::wait(bool made_progress, const wait::WaitFor& wait) {
  RankFiber& me = ranks_.stacks.running();
  if (made_progress) idle_.end();
  me.waiting.looks = true;
  take_in();
  const std::uint32_t asleep = me.slot->asleep.load(std::memory_order_relaxed);
  if (asleep == ParkState::woken) {
    // The rank has still to be taken out of the list.
    ranks_.queue.push(me);
  } else if (!wait.is_notified || !ranks_.host.notifiers_work) {
    // Somebody may notify it all the same. It may miss that, and looks by itself. Stored only over
    // `awake`: who notifies it may just be making `woken` of `waits`, and puts it into a list.
    if (asleep == ParkState::awake) {
      me.slot->asleep.store(ParkState::waits, std::memory_order_relaxed);
      me.waiting.is_sure = false;
    }
    ranks_.queue.push_poller(me);
  } else {
    me.state = State::waits;
    me.waiting.stays_sure = wait.word != nullptr;
    if (wait.word != nullptr)
      ranks_.gatherings.add(me, *wait.word, wait.detail);
    else  // a wait inside another one
      ranks_.gatherings.remove(me);
    if (asleep == ParkState::awake) {
      me.slot->asleep.store(ParkState::waits, std::memory_order_relaxed);
      me.waiting.is_sure = ranks_.host.is_alone;
    }
    if (!me.waiting.is_sure) ranks_.residents.announce(me);
  }
  idle_.look_at_words_in_turn();
  turn_handoff_.end(me);
  switch_from(me);
  return TurnHandoff::turn_of(me);
}

void RankScheduler::waited() {
  RankFiber& me = ranks_.stacks.running();
  resume_progress_thread();
  ranks_.gatherings.remove(me);
  if (!me.waiting.stays_sure) me.be_awake();
  me.waiting.stays_sure = false;
}

/// A costly rank that has looked, and may go on, is put among those that are ready once more. So
/// what is known of those is whether they will compute: who goes first and who is given away is
/// chosen among them.
void RankScheduler::goes_on(bool at_once) {
  RankFiber& me = ranks_.stacks.running();
  if (!std::exchange(me.waiting.looks, false) || !ranks_.host.balances || at_once) return;
  ask_no_more(ranks_);
  if (!is_costly(me) || ranks_.queue.empty()) return;
  ranks_.queue.push(me);
  turn_handoff_.end(me);
  switch_from(me);
}

bool RankScheduler::move(int process) {
  RankFiber& me = ranks_.stacks.running();
  waited();  // a method may move its rank while that waits
  me.be_awake();
  // The thread that has notified it is about to put it into the list of this process.
  while (me.slot->asleep.load(std::memory_order_acquire) == ParkState::woken) {
    if (rolls_back(ranks_.host.mapping.header())) break;  // that one may have died
    base::let_others_act();
    take_in();
  }
  // Nothing of the rank runs between this and its leaving its stack.
  if (!pack_services(me)) {
    me.packed.has_no_room = false;
    return false;
  }
  ranks_.residents.forget(me);
  me.waiting.looks = false;
  me.state = State::moves;
  ranks_.goes_to = process;
  turn_handoff_.end(me);
  switch_from(me);
  return true;
}

// -- waking ---------------------------------------------------------------------------------------

/// Wakes a rank that was notified, or has come.
void RankScheduler::wake(RankFiber& fiber) {
  idle_.end();
  if (fiber.state == State::moves) return adopt(ranks_, fiber);
  fiber.slot->asleep.store(ParkState::awake, std::memory_order_relaxed);
  fiber.waiting.is_sure = false;
  // A rank in another state looks by itself.
  if (fiber.state == State::waits)
    ranks_.queue.push(fiber);
  else if (fiber.state == State::polls)
    ranks_.queue.wake_poller(fiber);
}

bool RankScheduler::wakes(int process, int rank) {
  if (process != ranks_.host.number) return false;
  wake(ranks_.host.fiber(rank));
  return true;
}

/// Wakes ranks that others have notified from elsewhere, in their order.
void RankScheduler::take_in_woken() {
  space::ProcessSlot& home = ranks_.host.slot;
  const space::Mapping& mapping = ranks_.host.mapping;
  // Acquire: what was done for them is seen.
  std::uint32_t last = home.awake.exchange(0, std::memory_order_acquire);
  std::uint32_t first = 0;
  while (last != 0) {
    auto& link = mapping.slot(static_cast<int>(last) - 1).next_awake;
    const std::uint32_t before = link.load(std::memory_order_relaxed);
    link.store(first, std::memory_order_relaxed);
    first = std::exchange(last, before);
  }
  while (first != 0) {
    const auto rank = static_cast<int>(first) - 1;
    first = mapping.slot(rank).next_awake.load(std::memory_order_relaxed);
    wake(ranks_.host.fiber(rank));
  }
}

void RankScheduler::park(Until /*until*/, std::uint32_t times, long timeout_ns) {
  wait::sleep(ranks_.host.slot, times, timeout_ns);
}

}  // namespace armature::fibers
