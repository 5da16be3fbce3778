#include "elastic/process_quiesce.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "base/relaxed.hpp"
#include "checkpoint/copies.hpp"
#include "checkpoint/copy.hpp"
#include "checkpoint/directory_lock.hpp"
#include "checkpoint/parts_of_nodes.hpp"
#include "elastic/come.hpp"
#include "elastic/leave.hpp"
#include "elastic/reconfigure.hpp"
#include "elastic/roll_back.hpp"
#include "fibers/files_of_ranks.hpp"
#include "fibers/rank_malloc.hpp"
#include "fibers/rank_scheduler.hpp"
#include "fibers/rank_services.hpp"
#include "fibers/rank_transfer.hpp"
#include "fibers/static_guards.hpp"
#include "migration/addresses.hpp"
#include "migration/exchange_ranks.hpp"
#include "space/node_memory.hpp"
#include "wait/processes.hpp"

namespace armature::elastic {

using base::relaxed;
using fibers::RankFiber;
using fibers::RankScheduler;

namespace {

/// Makes the C library free the error that it keeps of a failed dlsym of a rank. The error lies in
/// the rank's heap, and the next dlsym call frees it. That must happen before the heap goes away,
/// or goes back to what it was.
void forget_errors_of_linker() { (void)dlsym(RTLD_DEFAULT, "malloc"); }

/// Empty when all ranks here can be written.
std::string why_not_write(RankScheduler& scheduler) {
  const fibers::ProcessRanks& ranks = scheduler.ranks();
  if (const char* why = migration::why_not_write(ranks.host.mapping.header()))
    return fmt::format("ranks cannot be written: {}", why);
  for (const RankFiber* fiber : ranks.residents.all())
    if (const space::Tie tie = fiber->tie(); tie != space::Tie::none)
      return fmt::format("rank {} {}, which cannot be written", fiber->rank, space::text(tie));
  return {};
}

/// They would go on with memory that becomes what it was, and nobody can stop them.
void require_no_threads() {
  if (!fibers::threads_of_ranks_run()) return;
  std::fputs(
      "armature: the job cannot go back to its last checkpoint: ranks have started threads in this "
      "process that have not ended\n",
      stderr);
  _exit(1);
}

}  // namespace

ProcessQuiesce::ProcessQuiesce(const space::Mapping& mapping, int process, int segment_file)
    : mapping_(mapping),
      job_(mapping.header()),
      process_(process),
      segment_file_(segment_file),
      is_to_come_(mapping.process_slot(process).is_to_come()),
      page_cache_(mapping, segment_file) {}

std::uint64_t ProcessQuiesce::kept_of(int rank) const {
  return checkpoints::kept_of(kept_, job_.quiesce, rank);
}

bool ProcessQuiesce::quiesce(RankScheduler& scheduler) {
  forget_errors_of_linker();
  return job_.quiesce.is_to_reconfigure() ? reconfigure(scheduler) : quiesce_once(scheduler);
}

/// Packs what lies in the process's memory goes with ranks. Where that is to be written, it is said
/// what cannot.
void ProcessQuiesce::pack(RankScheduler& scheduler, const quiesce::PhaseBarrier& barrier) const {
  fibers::ProcessRanks& ranks = scheduler.ranks();
  const bool is_written =
      job_.quiesce.where.load(std::memory_order_relaxed) != space::KeptIn::nowhere;
  const bool is_one_node = job_.nodes == 1;
  std::string problem;
  if (is_one_node) problem = fibers::await_quiet_services(job_);
  for (RankFiber* const fiber : ranks.residents.all()) {
    if (!is_one_node) fibers::note_leaving(ranks, *fiber);
    // On one node it stays, and why_not_write() says so where that matters.
    if (!fibers::pack_services(*fiber) && problem.empty() && !is_one_node)
      problem = fmt::format("rank {} {}", fiber->rank, space::text(space::Tie::no_room));
    if (problem.empty() && (is_written || !is_one_node)) problem = fibers::why_not_reopen(*fiber);
  }
  if (problem.empty() && is_written) problem = why_not_write(scheduler);
  if (!problem.empty()) barrier.tell_problem(problem);
}

/// Ranks give back what they have freed: it is not written. Where another process has begun to, it
/// writes less.
void ProcessQuiesce::empty_kept() const {
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    if (mapping_.is_here(rank) &&
        mapping_.slot(rank).process.load(std::memory_order_relaxed) == process_)
      space::NodeMemory(mapping_).empty_kept(rank);
}

/// The work that is to be done, but for the exchange of ranks.
quiesce::Client ProcessQuiesce::client_of(const quiesce::PhaseBarrier& barrier,
                                          std::optional<checkpoints::NodeCheckpoint>& of_one_node) {
  const bool is_one_node = job_.nodes == 1;
  switch (job_.quiesce.where.load(std::memory_order_relaxed)) {
    case space::KeptIn::nowhere:
      return {.by_each = [this](const quiesce::PhaseBarrier& all) {
        meet_those_who_come(mapping_, all);
      }};
    case space::KeptIn::memory:
      return is_one_node ? checkpoints::Copy::client(mapping_, segment_file_)
                         : checkpoints::Copies(mapping_, process_, segment_file_).client();
    default:
      break;
  }
  if (!is_one_node) return checkpoints::parts_client(mapping_, process_, segment_file_, kept_);
  return of_one_node.emplace(mapping_, barrier, process_, segment_file_, kept_).client();
}

/// Ranks are written, or on several nodes go elsewhere, or both.
bool ProcessQuiesce::quiesce_once(RankScheduler& scheduler) {
  const std::uint32_t number = job_.quiesce.wanted.load(std::memory_order_acquire);
  const quiesce::PhaseBarrier before(mapping_, process_, number);
  const auto& residents = scheduler.ranks().residents.all();
  if (job_.nodes == 1) empty_kept();
  try {
    std::optional<checkpoints::NodeCheckpoint> of_one_node;
    quiesce::Client client = client_of(before, of_one_node);
    client.when_quiet = [&](const quiesce::PhaseBarrier&) { pack(scheduler, before); };
    // One that has joined a node, but hosts nobody before the next epoch, takes no step.
    const bool takes_steps = !is_to_come_ && before.of_node().is_member();
    if (takes_steps)
      quiesce::run_phases(before, job_.quiesce, client);
    else if (job_.nodes > 1 && !come(mapping_, before, process_))
      return is_still_to_come();
    is_to_come_ = false;
    if (job_.nodes > 1 && takes_steps) admit_those_who_come(mapping_, before);
    const quiesce::PhaseBarrier barrier(mapping_, process_, number);
    if (job_.nodes > 1 &&
        !migration::exchange_ranks(mapping_, barrier, process_, segment_file_, page_cache_))
      return false;
    if (job_.nodes > 1) part_with_those_who_leave(mapping_, barrier);
    quiesce::go_on(barrier, job_, number, client);
  } catch (const quiesce::GivenUp&) {
    // On several nodes ranks may lie half here, half there: none can have a turn.
    if (job_.nodes > 1) return reconfigure(scheduler);
  }
  if (job_.nodes == 1) {
    for (RankFiber* const fiber : residents) fibers::unpack_services(*fiber);
    return true;
  }
  const bool stays = note_those_who_changed();
  scheduler.take_ranks();
  for (const RankFiber* const fiber : residents)
    if (fiber->traced.left.process != process_) fibers::note_coming(scheduler.ranks(), *fiber);
  return stays;
}

/// By a process that the job does not have: whether it may come another time.
bool ProcessQuiesce::is_still_to_come() const {
  const space::ProcessSlot& self = mapping_.process_slot(process_);
  if (self.has_left()) leave_in_order(mapping_, process_);
  return self.is_to_come() &&
         job_.resize.restart.load(std::memory_order_acquire) != space::Restart::complete;
}

/// On several nodes, after the exchange of ranks: some processes may have left, others come.
/// Whether this one stays. A checkpoint says which processes wrote it, so the next one is whole.
bool ProcessQuiesce::note_those_who_changed() {
  const auto have = [this](auto member) { return wait::those_who_change(mapping_, member); };
  const std::vector<int> leaving = have(&space::ProcessSlot::leaves);
  const bool has_left = std::ranges::any_of(
      leaving, [this](int one) { return mapping_.process_slot(one).has_left(); });
  if (has_left || !have(&space::ProcessSlot::comes).empty()) kept_ = {};
  if (!has_left) return true;
  hand_over_locks();
  if (std::ranges::find(leaving, process_) == leaving.end()) return true;
  leave_in_order(mapping_, process_);
  return false;
}

/// The first process of the job writes checkpoints: it may be another one now.
void ProcessQuiesce::hand_over_locks() const {
  const space::QuiesceState& quiesce = job_.quiesce;
  const std::uint32_t reconfigured = quiesce.epoch.entered.load(std::memory_order_acquire);
  int first = 0;
  while (!mapping_.process_slot(first).belongs(reconfigured)) ++first;
  if (first != process_) return checkpoints::unlock_directories();
  if (quiesce.folder.first_id != 0)
    checkpoints::lock_directory_again(quiesce.folder.directory, quiesce.folder.first_id);
}

/// Ranks go on elsewhere, or as they were before. Where they stand now does not matter.
bool ProcessQuiesce::reconfigure(RankScheduler& scheduler) {
  const space::ProcessSlot& self = mapping_.process_slot(process_);
  if (self.is_to_come()) {
    if (!look_on(mapping_, process_)) return false;
    if (self.is_to_come()) return true;
  }
  is_to_come_ = false;
  if (self.has_left()) {
    leave_in_order(mapping_, process_);
    scheduler.take_ranks();
    return false;
  }
  bool rolls_back = false;
  const auto prepare = [&] {
    rolls_back = true;
    require_no_threads();
    // Those that roll back were packed with what they roll back to. Where they lie now nobody
    // knows.
    for (int rank = 0; rank < mapping_.ranks(); ++rank) fibers::forget_in_services(rank);
  };
  bool stays = true;
  if (job_.nodes > 1) {
    prepare();
    if (!roll_back(mapping_, process_, segment_file_)) return false;  // others take its ranks
  } else {
    // One for which there is no room stays, as who is tied to its process does.
    if (job_.quiesce.epoch.how.load(std::memory_order_acquire) != space::Reconfiguration::roll_back)
      for (RankFiber* const fiber : scheduler.ranks().residents.all())
        (void)fibers::pack_services(*fiber);
    stays = elastic::reconfigure(mapping_, process_, segment_file_, prepare);
  }
  page_cache_.forget();
  if (rolls_back) fibers::forget_ties_of_ranks();
  fibers::abandon_static_guards(mapping_, process_);
  hand_over_locks();
  scheduler.take_ranks();
  return stays;
}

}  // namespace armature::elastic
