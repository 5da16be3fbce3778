// When no rank of the job runs: for a checkpoint, or since ranks go on as they were before. They
// are taken as they lie in their bands, so nothing of how they waited has to be kept.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "virtual/addresses.hpp"
#include "virtual/checkpoint/claim.hpp"
#include "virtual/checkpoint/parts_of_nodes.hpp"
#include "virtual/checkpoint/regroup.hpp"
#include "virtual/checkpoint/stand_still.hpp"
#include "virtual/nodes/copies.hpp"
#include "virtual/nodes/exchange_ranks.hpp"
#include "virtual/nodes/go_back.hpp"
#include "virtual/rank_malloc.hpp"
#include "virtual/rank_scheduler.hpp"
#include "virtual/rank_services.hpp"
#include "virtual/static_guards.hpp"
#include "wait/bell.hpp"
#include "wait/processes.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {

using space::Doze;
using State = RankFiber::State;

namespace {

/// What the C library keeps of a rank's dlsym that found nothing lies in the rank's heap, and is
/// freed by the next call: now, before that heap goes away, or back to what it was.
void forget_errors_of_linker() { (void)dlsym(RTLD_DEFAULT, "malloc"); }

}  // namespace

/// It looks at its condition again, whatever it waited for, and whoever was about to wake it.
void RankScheduler::restore(RankFiber& fiber) {
  if (fiber.state == State::through) return;
  fiber.is_sure = fiber.is_announced = fiber.has_waited_long = false;
  fiber.slot->asleep.store(Doze::awake, std::memory_order_relaxed);
  fiber.slot->pid.store(pid_, std::memory_order_relaxed);
  fiber.slot->tid.store(tid_, std::memory_order_relaxed);
  if (fiber.slot->busy_ns.load(std::memory_order_relaxed) != 0) measure_ranks();
  if (fiber.context != nullptr) fiber.context->scheduler = this;
  fiber.guard_stack(mapping_);
  unpack_services(fiber);
  add(fiber);
}

/// Empty when all ranks here can be written.
std::string RankScheduler::why_not_write() const {
  if (const char* why = fibers::why_not_write(mapping_.header()))
    return fmt::format("ranks cannot be written: {}", why);
  for (const RankFiber* fiber : hosted_)
    if (const space::Tie tie = fiber->tie(); tie != space::Tie::none)
      return fmt::format("rank {} {}, which cannot be written", fiber->rank, space::text(tie));
  return {};
}

std::uint64_t RankScheduler::kept_of(int rank) const {
  return checkpoints::kept_of(kept_, mapping_.header().halt, rank);
}

/// When ranks agreed to write only that, they could still move inside their nodes: the checksums of
/// their pages have stayed where they were.
void RankScheduler::agree_on_what_has_changed(const nodes::Steps& steps) const {
  constexpr std::uint32_t agreed = 4;
  const std::atomic<std::uint32_t>& since = mapping_.header().halt.changed_since;
  if (since.load(std::memory_order_acquire) != 0 &&
      !checkpoints::hosts_the_same(mapping_, process_, kept_))
    steps.tell_whole();
  steps.reach(agreed);
  steps.all_reach(agreed);
}

/// On several nodes: ranks go elsewhere, or are written, or both.
void RankScheduler::change_nodes() {
  nodes::Meanwhile meanwhile;
  space::Halt& halt = mapping_.header().halt;
  const space::KeptIn where = halt.where.load(std::memory_order_relaxed);
  const nodes::Copies copies(mapping_, process_, band_file_);
  const std::uint32_t copy = nodes::copy_after(halt.copy.load(std::memory_order_acquire));
  if (where == space::KeptIn::folder || where == space::KeptIn::next_start)
    meanwhile = {
        {},
        [&](const nodes::Steps& steps) {
          if (steps.leads_all())
            checkpoints::claim_folder(checkpoints::own_folder(halt), halt.first_id);
          agree_on_what_has_changed(steps);
          if (halt.broken.load(std::memory_order_acquire) != 0) return;
          checkpoints::write_parts(mapping_, process_, band_file_, why_not_write(), kept_);
        },
        [&] { checkpoints::complete_parts(mapping_); },
        [&] { checkpoints::abandon_parts(mapping_); },
        {},
    };
  if (where == space::KeptIn::memory)
    meanwhile = {
        {},
        [&](const nodes::Steps& steps) {
          if (const std::string why = why_not_write(); !why.empty()) base::fail(Errc::misuse, why);
          copies.make(steps, 4, copy);
        },
        {},
        {},
        [&] {
          mapping_.header().copies.last_ns.store(base::now_ns(), std::memory_order_relaxed);
          halt.copy.store(copy, std::memory_order_release);
        },
    };
  // Only now does nothing come any more that would change what is packed.
  meanwhile.when_quiet = [&](const nodes::Steps& steps) {
    for (RankFiber* const fiber : hosted_) {
      note_leaving(*fiber);
      if (!pack_services(*fiber))
        steps.tell_problem(
            fmt::format("rank {} {}", fiber->rank, space::text(space::Tie::no_room)));
    }
  };
  try {
    leaves_ = !nodes::exchange_ranks(mapping_, process_, band_file_, meanwhile, left_behind_);
  } catch (const nodes::GivenUp&) {
    return regroup();  // ranks may lie half here, half there: none can have a turn before
  }
  if (leaves_) return;
  take_ranks();
  for (RankFiber* const fiber : hosted_)
    if (fiber->left != process_) note_coming(*fiber);
}

/// Nobody runs: for a checkpoint.
void RankScheduler::stand_still() {
  forget_errors_of_linker();
  hear_again();
  if (mapping_.header().halt.is_to_regroup()) return regroup();
  if (mapping_.header().nodes > 1) return change_nodes();
  std::string refusal = await_quiet_services(mapping_.header());
  for (RankFiber* const fiber : hosted_) (void)pack_services(*fiber);  // or why_not_write() says so
  if (refusal.empty()) refusal = why_not_write();
  checkpoints::StandStill(mapping_, process_, band_file_, kept_).run(refusal);
  for (RankFiber* const fiber : hosted_) unpack_services(*fiber);
  halts_ = false;
  now_ns_ = base::now_ns();
}

/// How many there are now, and what follows from it.
void RankScheduler::count_processes() {
  const space::ControlHeader& job = mapping_.header();
  const std::uint32_t processes = wait::hosting_processes(job);
  // A simulation's weather rings, too, and so does what comes from other nodes.
  alone_ = processes == 1 && job.simulated == 0 && job.nodes == 1;
  bells_work_ = alone_ || wait::bells_work();
  // One that is still to come may not be given ranks.
  balances_ = job.balance != 0 && !alone_ && (job.nodes == 1 || job.processes_here > 1) &&
              home_.belongs(job.halt.regrouped.load(std::memory_order_acquire));
  crowded_ = processes > job.cores;
  if (balances_ || traces_ || job.measures != 0) measure_ranks();
}

/// The first process of the job writes checkpoints: it may be another one now.
void RankScheduler::hand_over_claims() const {
  const space::Halt& halt = mapping_.header().halt;
  const std::uint32_t regrouped = halt.regrouped.load(std::memory_order_acquire);
  int first = 0;
  while (!mapping_.process_slot(first).belongs(regrouped)) ++first;
  if (first != process_) return checkpoints::give_up_claims();
  if (halt.first_id != 0) checkpoints::claim_again(halt.directory, halt.first_id);
}

/// They would go on with memory that becomes what it was, and nobody can stop them.
void RankScheduler::require_no_threads() {
  if (!threads_of_ranks_run()) return;
  std::fputs(
      "armature: the job cannot go back to its last checkpoint: ranks have started threads in this "
      "process that have not ended\n",
      stderr);
  _exit(1);
}

/// Ranks go on elsewhere, or as they were before. Where they stand now does not matter.
void RankScheduler::regroup() {
  const space::ControlHeader& job = mapping_.header();
  const bool go_back = job.nodes > 1 || job.halt.regroup_as.load(std::memory_order_acquire) ==
                                            space::Regroup::go_back;
  if (go_back) require_no_threads();
  // Those that go back were packed with what they go back to. Where they lie now nobody knows.
  if (go_back) {
    for (int rank = 0; rank < mapping_.ranks(); ++rank) forget_in_services(rank);
  } else {
    // One for which there is no room stays, as who is tied to its process does.
    for (RankFiber* const fiber : hosted_) (void)pack_services(*fiber);
  }
  if (job.nodes > 1) {
    leaves_ = !nodes::go_back(mapping_, process_, band_file_);
    if (leaves_) return;  // others take its ranks
  } else {
    leaves_ = !checkpoints::regroup(mapping_, process_, band_file_);
  }
  left_behind_.forget();
  if (go_back) forget_mappings_of_ranks();
  abandon_static_guards(mapping_, process_);
  hand_over_claims();
  take_ranks();
}

/// From now on ranks may come from other processes, which go on sooner or later than this one. One
/// that came before would be found among those that were arranged to run here, too.
void RankScheduler::open_to_ranks() const {
  home_.arrangement.store(mapping_.header().arrangement(), std::memory_order_release);
}

/// Those that are to run here, wherever they stood.
void RankScheduler::take_ranks() {
  wait::start_waiting(mapping_.header());
  count_processes();
  ready_ = {};
  pollers_ = {};
  announced_.clear();
  hosted_.clear();
  goes_to_ = -1;
  idle_rounds_ = 0;
  // Where a rank has come from another node, or gone there, its band was protected anew.
  guarded_.assign(guarded_.size(), false);
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    if (mapping_.slot(rank).process.load(std::memory_order_relaxed) == process_)
      restore(RankFiber::of(mapping_, rank));
  open_to_ranks();
  halts_ = false;
  now_ns_ = base::now_ns();
}

}  // namespace armature::fibers
