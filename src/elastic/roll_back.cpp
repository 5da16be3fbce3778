// Step by step, each begun by nobody before all have taken the one before:
//
//   1     nobody runs, and nothing is on its way any more (losses.hpp)
//   2     nobody looks at what ranks had to say in their segments while others had begun already
//   3     what the segments of this node held is there again
//   4     each node knows where ranks are now
//   5     nodes know again how often their ranks have notified others
//   6, 7  what is lost of the copy is made again, and then counts
//   8     nothing is wanted of what was before: who goes on may want something of all soon
//
// Where ranks go follows from the copy and from who is lost, so all find the same. Another loss
// makes all begin again: nothing of this is harmed by being done twice.
#include "elastic/roll_back.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "checkpoint/copies.hpp"
#include "fibers/rank_fiber.hpp"
#include "migration/rank_image.hpp"
#include "net/network.hpp"
#include "quiesce/losses.hpp"
#include "quiesce/phase_barrier.hpp"
#include "wait/processes.hpp"

namespace armature::elastic {
namespace {

using checkpoints::Copies;
using checkpoints::Home;
using net::network;
using quiesce::Facts;
using quiesce::GivenUp;
using quiesce::PhaseBarrier;
using transport::Links;

using base::relaxed;  // nobody runs

/// All ranks are written, to go on in other processes: who says good-bye while they are quiescent
/// for that knows that all have done their part.
bool are_written(const space::Mapping& mapping) {
  const space::ControlHeader& job = mapping.header();
  if (job.resize.restart.load(std::memory_order_acquire) == space::Restart::complete) return true;
  const bool stand_for_it =
      job.quiesce.where.load(relaxed) == space::KeptIn::next_start &&
      job.quiesce.wanted.load(std::memory_order_acquire) != job.quiesce.over.load(relaxed);
  return stand_for_it && quiesce::somebody_has_left(mapping);
}

/// Nothing is to be done again: all ranks have ended, or are written. What those that are lost have
/// said last may not have come here.
bool is_over(const space::Mapping& mapping) {
  return wait::all_have_finished(mapping) || quiesce::somebody_has_left(mapping) ||
         are_written(mapping);
}

class RollBack {
 public:
  RollBack(const space::Mapping& mapping, int process, int segment_file)
      : mapping_(mapping),
        job_(mapping.header()),
        process_(process),
        segment_file_(segment_file),
        copies_(mapping, process, segment_file) {}

  /// Throws GivenUp. False when all ranks have ended.
  bool run() {
    const std::uint32_t lost = quiesce::enter_losses(mapping_);
    const auto changed = [&] {
      return job_.quiesce.epoch.wanted.load(std::memory_order_acquire) != lost;
    };
    quiesce::poll_until(
        [&] { return quiesce::all_have_entered(mapping_) || changed() || is_over(mapping_); });
    if (changed()) throw GivenUp();
    if (is_over(mapping_)) return false;
    const PhaseBarrier barrier = PhaseBarrier::of_epoch(mapping_, process_, lost);
    barrier.reach(1);
    // Some may leave instead, as all ranks have ended.
    barrier.wait_until([&] { return barrier.all_have_passed(1) || is_over(mapping_); });
    if (!barrier.all_have_passed(1)) return false;
    found_ = barrier.greatest();
    forget_problems(barrier);
    forget_teams(barrier);
    find_places();
    if (!problem_.empty()) give_up(barrier);
    bring_back(barrier);
    mend_copy(barrier);
    if (barrier.leads()) forget_what_was_wanted();
    barrier.reach(8);
    barrier.all_reach(8);
    if (barrier.leads()) go_on(lost);
    if (barrier.leads_all() && job_.launcher.is_there == 0)
      std::fputs(
          fmt::format("armature: without {} of {} processes, all ranks have gone back to the "
                      "checkpoint in memory\n",
                      lost, job_.processes)
              .c_str(),
          stderr);
    barrier.wait_until(
        [&] { return job_.quiesce.epoch.entered.load(std::memory_order_acquire) == lost; });
    return true;
  }

 private:
  void forget_problems(const PhaseBarrier& barrier) const;
  static void forget_teams(const PhaseBarrier& barrier);
  void find_places();
  [[nodiscard]] bool may_be_cut_off() const;
  [[nodiscard]] int least_used(int node, const std::vector<int>& used) const;
  [[noreturn]] void give_up(const PhaseBarrier& barrier) const;
  void bring_back(const PhaseBarrier& barrier) const;
  void take_places() const;
  void host() const;
  void mend_copy(const PhaseBarrier& barrier) const;
  void forget_what_was_wanted() const;
  void go_on(std::uint32_t lost) const;
  [[nodiscard]] bool is_here(int rank) const {
    return mapping_.process_slot(places_[static_cast<std::size_t>(rank)]).node == job_.node;
  }

  const space::Mapping& mapping_;
  space::ControlHeader& job_;
  const int process_, segment_file_;
  const Copies copies_;
  Facts found_;
  std::vector<int> places_;  // by rank: the process that it goes to
  std::string problem_;      // why they cannot
  bool is_cut_off_ = false;  // that is why
};

/// Those of what was given up. Nobody tells of new ones before all have taken step 4.
void RollBack::forget_problems(const PhaseBarrier& barrier) const {
  Copies::forget_problems();
  if (!barrier.leads()) return;
  job_.quiesce.broken.store(0, relaxed);
  job_.quiesce.epoch.beyond_recovery.store(0, relaxed);
}

/// Forgets teams once more. Ranks in other processes of this node may have told of teams since this
/// one has forgotten all: they ran on until their processes noticed the loss, too.
void RollBack::forget_teams(const PhaseBarrier& barrier) {
  {
    const Links::Lock locked(network()->links().lock());
    network()->forget_ranks();
    network()->links().services().let_go();  // all have forgotten once
  }
  barrier.reach(2);
  barrier.node_reaches(2);
}

/// The process with the fewest ranks on a node; -1 when all are lost.
int RollBack::least_used(int node, const std::vector<int>& used) const {
  int found = -1;
  for (int p = 0; p < static_cast<int>(job_.processes); ++p) {
    const space::ProcessSlot& slot = mapping_.process_slot(p);
    if (slot.node != node || wait::is_gone(slot)) continue;
    if (found < 0 || used[static_cast<std::size_t>(p)] < used[static_cast<std::size_t>(found)])
      found = p;
  }
  return found;
}

/// Whether those who are not heard of any more may go on by themselves: unless more than half of
/// the processes that there were are here, or the first of them and another half. A launcher of our
/// own kills them.
bool RollBack::may_be_cut_off() const {
  if (found_.has_given_up == 0 || job_.launcher.is_there != 0) return false;
  const std::uint32_t reconfigured = job_.quiesce.epoch.entered.load(relaxed);
  std::uint32_t before = 0, left = 0;
  bool has_first = false;
  for (int p = 0; p < static_cast<int>(job_.processes); ++p) {
    const space::ProcessSlot& slot = mapping_.process_slot(p);
    if (!slot.belongs(reconfigured)) continue;
    if (before++ == 0) has_first = !wait::is_lost(slot);
    if (!wait::is_lost(slot)) ++left;
  }
  return 2 * left < before || (2 * left == before && !has_first);
}

/// Each where it was; else to another process of that node; else to the node that has its copy.
void RollBack::find_places() {
  is_cut_off_ = may_be_cut_off();
  if (is_cut_off_) {
    problem_ = "processes that are not heard of any more may go on without this one";
    return;
  }
  if (found_.copy == 0) {
    problem_ = "there is no checkpoint in memory yet";
    return;
  }
  const std::vector<Home> homes = copies_.homes(found_.copy);
  std::vector<int> used(job_.processes);
  for (const Home& home : homes) {
    const bool stays = !wait::is_gone(mapping_.process_slot(home.process));
    places_.push_back(stays ? home.process : -1);
    if (stays) ++used[static_cast<std::size_t>(home.process)];
  }
  for (std::size_t rank = 0; rank < homes.size(); ++rank) {
    int& place = places_[rank];
    if (place >= 0) continue;
    place = least_used(mapping_.process_slot(homes[rank].process).node, used);
    if (place < 0) place = least_used(homes[rank].partner, used);
    if (place < 0) {
      problem_ =
          fmt::format("rank {} was on a node that is lost, and so is the one with its copy", rank);
      return;
    }
    ++used[static_cast<std::size_t>(place)];
  }
}

/// Unless another loss changes that, whoever ends the job ends this process. Who is cut off has no
/// job to end: the others have it.
void RollBack::give_up(const PhaseBarrier& barrier) const {
  if (is_cut_off_) {
    std::fputs(fmt::format("armature: process {}: {}: it ends\n", process_, problem_).c_str(),
               stderr);
    kill(getpid(), SIGKILL);
  }
  if (barrier.leads()) {
    base::copy_text(job_.quiesce.problem, problem_);
    job_.quiesce.epoch.beyond_recovery.store(1, std::memory_order_release);
  }
  if (barrier.leads_all())
    network()->peers().end_job(("the job cannot go on: " + problem_).c_str());
  for (;;) barrier.wait_until([] { return false; });
}

void RollBack::bring_back(const PhaseBarrier& barrier) const {
  const std::size_t all = barrier.of_node().processes().size();
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    const bool is_ours = is_here(rank)
                             ? places_[static_cast<std::size_t>(rank)] == process_
                             : static_cast<std::size_t>(rank) % all == barrier.of_node().place();
    if (!is_ours) continue;
    barrier.require_to_go_on();
    if (is_here(rank))
      copies_.bring_back(found_.copy, rank);
    else
      copies_.empty_segment(rank);
  }
  if (barrier.leads()) copies_.bring_back_behind(found_.copy);
  barrier.reach(3);
  barrier.node_reaches(3);
  if (barrier.leads()) take_places();
  barrier.reach(4);
  barrier.all_reach(4);
  host();
  // The heads of other nodes' ranks are this node's own, and empty now.
  const auto elsewhere = [&](int by) {
    return is_here(by) ? -1 : places_[static_cast<std::size_t>(by)];
  };
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    if (places_[static_cast<std::size_t>(rank)] == process_)
      migration::send_notifications(mapping_, segment_file_, rank, elsewhere);
  barrier.become_quiet();
  barrier.reach(5);
  barrier.all_reach(5);
}

/// By the first process of each node.
void RollBack::take_places() const {
  job_.here.ranks = 0;
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    space::RankSlot& slot = mapping_.slot(rank);
    const int place = places_[static_cast<std::size_t>(rank)];
    if (is_here(rank)) {
      copies_.give_record(found_.copy, rank);
      ++job_.here.ranks;
    } else {
      *mapping_.fast_view(rank) = {};
      slot.mailboxes.restore(0);
      slot.channels.restore(0);
      slot.life.store(space::Life::running, relaxed);
    }
    slot.node = mapping_.process_slot(place).node;
    slot.process.store(place, relaxed);
    slot.load.goes_to.store(place, relaxed);
    // The one that notifies a rank on another node has the network look.
    slot.asleep.store(is_here(rank) ? space::ParkState::awake : 1, relaxed);
    slot.next_awake.store(0, relaxed);
  }
  for (std::uint32_t p = 0; p < job_.processes; ++p)
    mapping_.process_slot(static_cast<int>(p)).awake.store(0, relaxed);
  job_.here.steal_request.store(0, relaxed);
  job_.here.finished.store(0, relaxed);
  job_.quiesce.copy.store(found_.copy, std::memory_order_release);
}

void RollBack::host() const {
  net::Network::Spaces spaces;
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    is_here(rank) ? space::show_segment(mapping_, rank) : space::hide_segment(mapping_, rank);
    if (places_[static_cast<std::size_t>(rank)] != process_) continue;
    spaces.push_back(&fibers::RankFiber::of(mapping_, rank).space());
  }
  network()->host(std::move(spaces));
}

/// Mends the copy. If that cannot be done, the copy counts as far as it is there.
void RollBack::mend_copy(const PhaseBarrier& barrier) const {
  try {
    copies_.mend(barrier, 6, found_.copy);
  } catch (const GivenUp&) {
    throw;
  } catch (const std::exception& error) {
    barrier.tell_problem(error.what());
  }
  // Nothing of what failed comes when the next one is made, which has the same number.
  barrier.become_quiet();
  barrier.reach(7);
  barrier.all_reach(7);
  if (!barrier.leads()) return;
  if (job_.quiesce.broken.load(std::memory_order_acquire) == 0)
    job_.quiesce.copy.store(checkpoints::mended_copy(found_.copy), std::memory_order_release);
  else if (barrier.leads_all())
    std::fputs(
        fmt::format("armature: what is lost of the copy in memory cannot be made again: {}\n",
                    std::string_view(job_.quiesce.problem))
            .c_str(),
        stderr);
}

/// By the first process of each node. It is not over, and will not be.
void RollBack::forget_what_was_wanted() const {
  space::QuiesceState& quiesce = job_.quiesce;
  quiesce.ready.store(0, relaxed);
  quiesce.broken.store(0, relaxed);
  quiesce.asked.store(space::Asked::nothing, relaxed);
  quiesce.epoch.has_given_up.store(0, relaxed);
  quiesce.wanted.store(found_.quiesced, relaxed);
  quiesce.over.store(found_.quiesced, std::memory_order_release);
}

/// By the same.
void RollBack::go_on(std::uint32_t lost) const {
  space::QuiesceState& quiesce = job_.quiesce;
  quiesce.epoch.recoveries.store(lost, relaxed);
  quiesce.epoch.entered.store(lost, std::memory_order_release);
}

/// Nobody rolls back: all are to leave, as those who had ended do. That others' ranks have ended
/// may have been said, and not handled. False when this process is to leave at once.
bool end(const space::Mapping& mapping) {
  space::ControlHeader& job = mapping.header();
  if (are_written(mapping)) {
    job.resize.restart.store(space::Restart::complete, std::memory_order_release);
    return false;
  }
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    mapping.slot(rank).life.store(space::Life::finished, std::memory_order_release);
  job.gone.left.fetch_add(1, std::memory_order_release);
  job.quiesce.epoch.entered.store(job.quiesce.epoch.wanted.load(std::memory_order_acquire),
                                  std::memory_order_release);
  return true;
}

}  // namespace

bool roll_back(const space::Mapping& mapping, int process, int segment_file) {
  for (;;) {
    if (is_over(mapping)) return end(mapping);
    try {
      if (RollBack(mapping, process, segment_file).run()) return true;
    } catch (const GivenUp&) {
    }
  }
}

}  // namespace armature::elastic
