// Waiting costs a rank nothing but its turn. A rank whose bell will ring says so in its slot and is
// put aside; whoever rings puts it into the list of its process (wait/bell.cpp), from where it
// goes into the queue of those that are ready.
//
// A bell may be missed by a rank that has looked at its condition, found it false, and is about to
// say that it waits. Where only ranks of this thread ring, nobody can come in between. Else a
// process makes all others pass a barrier, after which everyone sees what its ranks have said, and
// lets those look once more. It does so for many ranks at once: when nothing is ready, or now and
// then. See docs/internals/virtual.md.
#include "virtual/rank_scheduler.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/clock.hpp"
#include "base/interleaving.hpp"
#include "base/process_memory.hpp"
#include "base/runtime.hpp"
#include "net/network.hpp"
#include "space/layout.hpp"
#include "virtual/checkpoint/stand_still.hpp"
#include "virtual/rank_malloc.hpp"
#include "virtual/rank_services.hpp"
#include "wait/bell.hpp"
#include "wait/processes.hpp"
#include "wait/trace.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {
namespace {

using space::Doze;
using State = RankFiber::State;

// Turns between looks at what needs to be looked at only now and then.
constexpr std::uint32_t turns_per_poller = 64;
constexpr std::uint32_t turns_per_housekeeping = 1024;
// So many ranks are looked at for each turn, at most, because some are urgent.
constexpr std::size_t looks_per_turn = 16;

struct Here {
  RankScheduler* scheduler = nullptr;
};

}  // namespace

RankScheduler::RankScheduler(const space::Mapping& mapping, int process, int band_file)
    : mapping_(mapping),
      records_(reinterpret_cast<std::byte*>(&RankFiber::of(mapping, 0)) + space::stack_shift(0)),
      process_(process),
      band_file_(band_file),
      pid_(getpid()),
      tid_(gettid()),
      home_(mapping.process_slot(process)),
      traces_(wait::traces()),
      main_(mapping, 0),
      guarded_(static_cast<std::size_t>(mapping.ranks())),
      left_behind_(mapping, band_file),
      heap_(heap_of_malloc()),
      deaths_seen_(mapping.header().deaths.load(std::memory_order_acquire)),
      now_ns_(base::now_ns()),
      exceptions_(&exception_state()),
      error_number_(&errno) {
  base::heap_of_rank = malloc_knows_ranks() ? &heap_ : nullptr;
  // Under other launchers each process has its own number.
  space::AddressSpace::use_file(band_file);
  space::AddressSpace::let_others_run_by(wait::let_others_run);
  take_process();
  count_processes();
  // Where they are made, a rank may run whose memory goes back to what it was.
  for (auto* list : {&announced_, &looking_, &hosted_})
    list->reserve(static_cast<std::size_t>(mapping.ranks()));
}

void RankScheduler::take_process() { base::state<Here>().scheduler = this; }

RankScheduler::~RankScheduler() {
  base::state<Here>().scheduler = nullptr;
  base::heap_of_rank = nullptr;
}

// A rank may find itself in another process than before: never inlined, so that nothing of the one
// before is kept.
[[gnu::noinline]] RankScheduler& RankScheduler::here() { return *base::state<Here>().scheduler; }

void RankScheduler::add(RankFiber& fiber) {
  guarded_[static_cast<std::size_t>(fiber.rank)] = true;
  host(fiber);
}

void RankScheduler::host(RankFiber& fiber) {
  fiber.place = hosted_.size();
  hosted_.push_back(&fiber);
  set_ready(fiber);
}

void RankScheduler::dismiss(RankFiber& fiber) {
  RankFiber* const last = hosted_.back();
  last->place = fiber.place;
  hosted_[fiber.place] = last;
  hosted_.pop_back();
}

/// It goes to another process.
void RankScheduler::forget(RankFiber& fiber) {
  dismiss(fiber);
  if (std::exchange(fiber.is_announced, false)) std::erase(announced_, &fiber);
}

// -- switching ------------------------------------------------------------------------------------

void RankScheduler::leave(RankFiber& me) {
  me.context = wait::current_rank();
  me.exceptions = *exceptions_;
  me.error_number = *error_number_;
  before_ = &me;
  if (measures_) [[unlikely]]
    measure(me);
}

void RankScheduler::enter(RankFiber& fiber) {
  fiber.state = State::running;
  running_ = &fiber;
  home_.running.store(&fiber == &main_ ? -1 : fiber.rank, std::memory_order_relaxed);
  wait::set_this_rank(fiber.context);
  heap_ = fiber.heap;
  if (&fiber != &main_) {
    if (!fiber.looks) hear_again();
    if (some_are_urgent_) [[unlikely]]
      fiber.slot->urgency.store(0, std::memory_order_relaxed);  // it is its turn
  }
  *exceptions_ = fiber.exceptions;
  *error_number_ = fiber.error_number;
}

/// Only now has the other rank left its stack: somebody else may take it.
void RankScheduler::settle(LeftStack before) {
  before_->inside = before;
  if (goes_to_ >= 0) [[unlikely]]
    send_off(*before_);
}

[[gnu::always_inline]] inline RankFiber* RankScheduler::next() {
  if (++turns_ % turns_per_poller == 0) housekeeping();
  if (halts_) [[unlikely]]
    return nullptr;
  if (balances_ && mapping_.header().hungry.load(std::memory_order_relaxed) != 0) [[unlikely]]
    give_rank_away();
  return ready_.pop();
}

// Inlined: each return behind a switch may be one that the processor has guessed wrong.
[[gnu::always_inline]] inline void RankScheduler::switch_from(RankFiber& me) {
  RankFiber* const to = next();
  if (to == &me) {
    me.state = State::running;
    return;
  }
  RankFiber& other = to != nullptr ? *to : main_;
  if (&other == &me) return;  // halts, and nobody's turn it was
  leave(me);
  enter(other);
  const LeftStack before = switch_stack(other.inside).fctx;
  here().settle(before);
}

RankFiber& RankScheduler::make_rank(const space::Mapping& mapping, int file, int rank, Life life) {
  return RankFiber::make(mapping, {.file = file,
                                   .rank = rank,
                                   .life = life,
                                   .entry = &RankScheduler::begin,
                                   .has_heap = malloc_knows_ranks()});
}

void RankScheduler::begin(boost::context::detail::transfer_t from) {
  here().settle(from.fctx);
  const RankFiber& me = *here().running_;
  me.life.live(me.rank, me.life.argument);
  here().depart();
}

void RankScheduler::depart() {
  RankFiber& me = *running_;
  leave(me);
  me.state = State::through;
  dismiss(me);
  wait::rank_is_through(mapping_.header());
  enter(main_);
  (void)switch_stack(main_.inside);
  std::abort();  // nobody resumes it
}

void RankScheduler::housekeeping() {
  now_ns_ = base::now_ns();
  halts_ = checkpoints::is_wanted(mapping_.header());
  left_behind_.give_back(now_ns_, nodes::LeftBehind::Pace::beside_ranks);
  if (RankFiber* poller = pollers_.pop()) set_ready(*poller);
  if (turns_ % turns_per_housekeeping != 0) return;
  look_for_deaths();
  if (!announced_.empty()) look_at_announced(Barrier::passed);
}

void RankScheduler::run() {
  running_ = &main_;
  open_to_ranks();
  for (;;) {
    times_woken_ = wait::times_woken(home_);
    if (job_is_over()) break;
    if (checkpoints::is_wanted(mapping_.header())) [[unlikely]]
      stand_still();
    take_in();
    if (ready_.empty()) idle();
    if (!ready_.empty()) switch_from(main_);
  }
  hear_again();
}

bool RankScheduler::job_is_over() const {
  if (leaves_) return true;
  if (!hosted_.empty()) return false;
  const space::ControlHeader& job = mapping_.header();
  // As long as ranks run, all may have to go back.
  return job.ranks_here == 0 || wait::recovers_on_nodes(job) ? wait::all_have_finished(mapping_)
                                                             : job.all_are_through();
}

// -- what a rank asks for -------------------------------------------------------------------------

void RankScheduler::yield(bool /*got_on*/) {
  take_in();
  if (ready_.empty()) {
    // It may go on so for long, and those that wait depend on it.
    if (++turns_ % turns_per_poller == 0) housekeeping();
    if (RankFiber* poller = pollers_.pop()) set_ready(*poller);
    if (ready_.empty() && !halts_) return;
  }
  RankFiber& me = *running_;
  me.looks = false;
  set_ready(me);
  switch_from(me);
}

bool RankScheduler::wait(bool got_on, bool rings) {
  RankFiber& me = *running_;
  if (got_on) idle_rounds_ = 0;
  me.looks = true;
  take_in();
  const std::uint32_t asleep = me.slot->asleep.load(std::memory_order_relaxed);
  if (!rings || !bells_work_) {
    me.state = State::polls;
    pollers_.push(me);
  } else if (asleep == Doze::woken) {
    // It has still to be taken out of the list.
    set_ready(me);
  } else {
    me.state = State::waits;
    if (asleep == Doze::awake) {
      me.slot->asleep.store(Doze::waits, std::memory_order_relaxed);
      me.is_sure = alone_;
    }
    if (!me.is_sure && !std::exchange(me.is_announced, true)) announced_.push_back(&me);
  }
  switch_from(me);
  return std::exchange(me.has_waited_long, false);
}

/// Whoever computes, or writes what ranks have, does not poll the network.
void RankScheduler::hear_again() {
  if (net::Network* const net = net::network()) net->hear_again();
}

void RankScheduler::waited() {
  RankFiber& me = *running_;
  hear_again();
  std::uint32_t waits = Doze::waits;
  if (me.slot->asleep.load(std::memory_order_relaxed) == Doze::awake) return;
  me.slot->asleep.compare_exchange_strong(waits, Doze::awake, std::memory_order_acquire);
  me.is_sure = false;
}

/// A costly rank that has looked, and may go on, is put among those that are ready once more. So
/// what is known of those is whether they will compute: who goes first and who is given away is
/// chosen among them.
void RankScheduler::goes_on() {
  RankFiber& me = *running_;
  if (!std::exchange(me.looks, false) || !balances_) return;
  ask_no_more();
  if (!is_costly(me) || ready_.empty()) return;
  set_ready(me);
  switch_from(me);
}

// -- moving ---------------------------------------------------------------------------------------

bool RankScheduler::move(int process) {
  RankFiber& me = *running_;
  waited();  // a method may move its rank while that waits
  // Whoever has rung for it is about to put it into the list of this process.
  while (me.slot->asleep.load(std::memory_order_acquire) == Doze::woken) {
    if (goes_back(mapping_.header())) break;  // that one may have died
    base::let_others_act();
    take_in();
  }
  // Nothing of the rank runs between this and its leaving its stack.
  if (!pack_services(me)) {
    me.has_no_room = false;
    return false;
  }
  forget(me);
  me.looks = false;
  me.state = State::moves;
  goes_to_ = process;
  switch_from(me);
  return true;
}

// -- waking ---------------------------------------------------------------------------------------

void RankScheduler::set_ready(RankFiber& fiber) {
  fiber.state = State::ready;
  if (some_are_urgent_ && fiber.is_urgent()) [[unlikely]]
    return ready_.push_urgent(fiber);
  if (balances_ && is_costly(fiber)) [[unlikely]]
    return ready_.push_costly(fiber);
  ready_.push(fiber);
}

/// It was rung for, or has come.
void RankScheduler::wake(RankFiber& fiber) {
  idle_rounds_ = 0;
  if (fiber.state == State::moves) return adopt(fiber);
  fiber.slot->asleep.store(Doze::awake, std::memory_order_relaxed);
  fiber.is_sure = false;
  // Else it looks by itself.
  if (fiber.state == State::waits) set_ready(fiber);
}

bool RankScheduler::wakes(int process, int rank) {
  if (process != process_) return false;
  wake(fiber(rank));
  return true;
}

/// Those that were rung for from elsewhere, in their order.
void RankScheduler::take_in() {
  if (home_.has_urgent.load(std::memory_order_relaxed) != 0 && is_time_for_urgent()) [[unlikely]]
    return take_in_urgent();
  if (home_.awake.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  // Acquire: what was done for them is seen.
  std::uint32_t last = home_.awake.exchange(0, std::memory_order_acquire);
  std::uint32_t first = 0;
  while (last != 0) {
    auto& link = mapping_.slot(static_cast<int>(last) - 1).next_awake;
    const std::uint32_t before = link.load(std::memory_order_relaxed);
    link.store(first, std::memory_order_relaxed);
    first = std::exchange(last, before);
  }
  while (first != 0) {
    const auto rank = static_cast<int>(first) - 1;
    first = mapping_.slot(rank).next_awake.load(std::memory_order_relaxed);
    wake(fiber(rank));
  }
}

/// After so many turns that looking at all that are ready costs little by comparison. Who comes
/// into a queue meanwhile is put where it belongs at once.
bool RankScheduler::is_time_for_urgent() const {
  return turns_ - urgent_turn_ >= looked_at_ / looks_per_turn;
}

/// The same; then who is urgent goes before others, and who is in no queue yet when it comes into
/// one. Acquire: so everybody sees for whom.
void RankScheduler::take_in_urgent() {
  home_.has_urgent.exchange(0, std::memory_order_acquire);
  some_are_urgent_ = true;
  take_in();
  looked_at_ = pollers_.take_all([](const RankFiber& fiber) { return fiber.is_urgent(); },
                                 [this](RankFiber& fiber) { set_ready(fiber); });
  looked_at_ += ready_.expedite();
  urgent_turn_ = turns_;
}

}  // namespace armature::fibers
