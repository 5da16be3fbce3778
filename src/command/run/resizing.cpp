#include "command/run/resizing.hpp"

#include <sys/types.h>

#include <algorithm>
#include <csignal>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "command/run/coming.hpp"
#include "command/run/console.hpp"
#include "space/write_levels.hpp"
#include "wait/processes.hpp"

namespace armature::command {

Resizing::Resizing(const JobView& job, LaunchedProcesses& processes, ProcessStarter& starter,
                   ResizeRequests& requests)
    : job_(job),
      processes_(processes),
      starter_(starter),
      requests_(requests),
      rebalancing_(job.options(), job.control()) {}

/// Does one thing after the other.
void Resizing::look() {
  requests_.take();
  if (!job_.header().all_have_joined()) return;
  if (!joining_.empty()) {
    if (have_joined() && !joining_.empty() && spread({}, joining_)) joining_.clear();
    return;
  }
  if (const std::vector<int> leave = take_those_who_want_to_leave(); !leave.empty())
    return static_cast<void>(spread(leave, {}));
  if (requests_.pending()) return fulfil_request();
  if (rebalancing_.next_ns() != 0 && base::now_ns() >= rebalancing_.next_ns()) rebalance();
}

void Resizing::fulfil_request() {
  if (const std::string why = requests_.why_not(); !why.empty()) return requests_.answer(why);
  const std::vector<int> all = processes_.hosting();
  const std::size_t wanted = requests_.pending()->processes(all.size());
  if (wanted == all.size()) return requests_.answer("");
  if (wanted > all.size()) return start_joining(wanted - all.size());
  (void)spread({all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end()}, {});
}

/// Takes those that somebody else has asked to end.
std::vector<int> Resizing::take_those_who_want_to_leave() {
  std::vector<int> all = processes_.hosting(), leave;
  for (const int number : all)
    if (job_.control().process(number).wants_to_leave.load(std::memory_order_acquire) != 0)
      leave.push_back(number);
  if (leave.size() < all.size()) return leave;
  // Nobody is left to take their ranks.
  for (const int number : leave) kill(processes_.at(number).pid, SIGTERM);
  return {};
}

// -- coming and going -----------------------------------------------------------------------------

/// A number that was somebody's goes to another when that one is gone.
void Resizing::start_joining(std::size_t count) {
  for (int number = 0; joining_.size() < count && number < job_.ranks(); ++number) {
    const bool is_new = static_cast<std::size_t>(number) == processes_.all().size();
    if (!is_new && processes_.at(number).alive) continue;
    if (!start(number)) return;
  }
  // Numbers are missing while processes that leave are still there.
}

bool Resizing::awaits_simulation() const {
  return !simulation_has_all_ && job_.header().simulation.joins != 0;
}

bool Resizing::start_for_simulation(Coming& coming) {
  const std::size_t count = job_.header().simulation.joins;
  simulation_has_all_ = true;
  if (job_.nodes().size() > 1) return coming.start_for_simulation(count);
  start_joining(count);
  return std::exchange(joining_, {}).size() == count;
}

bool Resizing::start(int number) {
  space::ProcessSlot& slot = job_.control().process(number);
  slot.since.store(UINT32_MAX, std::memory_order_release);
  slot.until.store(0, std::memory_order_release);
  slot.step.store(0, std::memory_order_release);
  for (std::atomic<std::uint32_t>* word : {&slot.joined, &slot.wants_to_leave, &slot.asleep})
    word->store(0, std::memory_order_release);
  space::write_own_levels(job_.control(), number);
  LaunchedProcess process{.ranks = {job_.ranks() - 1, 0, number}};
  if (const int error = starter_.start(process); error != 0) {
    requests_.note_problem(
        fmt::format("no further process can be started: {}", base::system_text(error)));
    return false;
  }
  if (static_cast<std::size_t>(number) == processes_.all().size()) processes_.all().emplace_back();
  processes_.at(number) = process;
  joining_.push_back(number);
  return true;
}

/// All that have been started and live.
bool Resizing::have_joined() {
  std::erase_if(joining_, [&](int number) {
    const bool is_gone = !processes_.at(number).alive;
    if (is_gone)
      requests_.note_problem(fmt::format("process {} ended before it joined the job", number));
    return is_gone;
  });
  return std::ranges::all_of(joining_, [&](int number) {
    return job_.control().process(number).joined.load(std::memory_order_acquire) != 0;
  });
}

/// False while a checkpoint is made.
bool Resizing::spread(const std::vector<int>& leave, const std::vector<int>& join) {
  return reconfigure(space::Reconfiguration::spread, leave, join);
}

bool Resizing::reconfigure(space::Reconfiguration as, const std::vector<int>& leave,
                           const std::vector<int>& join) {
  space::ControlHeader& job = job_.header();
  if (!job.quiesce.ask_for(space::Asked::reconfiguration)) return false;
  job.resize.holder.store(-1, std::memory_order_relaxed);
  leaving_ = leave;
  spreads_ = true;
  spreading_since_ns_ = base::now_ns();
  wait::reconfigure(job_.control(), as, leave, join);
  return true;
}

/// Ranks that may not move stay.
void Resizing::rebalance() {
  const space::ControlHeader& job = job_.header();
  const space::Asked asked = job.quiesce.asked.load(std::memory_order_relaxed);
  if (asked != space::Asked::nothing ||
      job.here.finished.load(std::memory_order_acquire) >= job.ranks)
    return;
  if (rebalancing_.plan(processes_.hosting(), base::now_ns()))
    rebalances_ = reconfigure(space::Reconfiguration::place, {}, {});
}

void Resizing::finish(const std::function<void(LaunchedProcess&)>& has_died) {
  if (!std::exchange(spreads_, false)) return;
  space::ControlHeader& job = job_.header();
  job.quiesce.ask_no_more_for(space::Asked::reconfiguration);
  const std::uint32_t reconfigured = job.quiesce.epoch.entered.load(std::memory_order_acquire);
  for (const int number : std::exchange(leaving_, {})) {
    job_.control().process(number).wants_to_leave.store(0, std::memory_order_release);
    if (!job_.control().process(number).belongs(reconfigured)) continue;
    if (LaunchedProcess& process = processes_.at(number); process.lost) {
      process.lost = false;
      has_died(process);
    } else {
      say_why_it_stays(number);
    }
  }
  const std::uint64_t now_ns = base::now_ns();
  // Ranks have not moved if a process was killed meanwhile: they rolled back.
  const bool have_moved =
      job.quiesce.epoch.how.load(std::memory_order_relaxed) == space::Reconfiguration::place;
  if (std::exchange(rebalances_, false) && have_moved)
    return rebalancing_.have_moved(now_ns - spreading_since_ns_, now_ns);
  if (job_.options().verbose)
    say(fmt::format("ranks are in {} processes now, after {:.1f} ms", wait::hosting_processes(job),
                    static_cast<double>(now_ns - spreading_since_ns_) * 1e-6));
}

void Resizing::say_why_it_stays(int number) {
  const space::Resize& resize = job_.header().resize;
  const int holder = resize.holder.load(std::memory_order_relaxed);
  // The process had begun to leave when the others were killed. If too few are left, more come.
  if (holder < 0) return say(fmt::format("process {} stays: the others were killed", number));
  const std::string why =
      fmt::format("process {} stays: rank {} {}, which cannot move", number, holder,
                  space::text(resize.holder_has.load(std::memory_order_relaxed)));
  requests_.note_problem(why);
  say(why);
}

// -- deaths that do not matter --------------------------------------------------------------------

/// Whether all ranks that it hosts have ended, and others have not. A rank is told to have finished
/// a little before it has left its stack, and is counted then. When as many are counted as have
/// finished by now, all those have left.
bool Resizing::has_done_its_part(int number) const {
  const space::ControlHeader& job = job_.header();
  if (job.nodes > 1 || job.simulation.on != 0 ||
      job.gone.deaths.load(std::memory_order_relaxed) != 0)
    return false;
  const std::uint32_t through = job.here.finished.load(std::memory_order_acquire);  // first
  std::uint32_t finished = 0;
  for (int rank = 0; rank < job_.ranks(); ++rank) {
    if (job_.control().slot(rank).life.load(std::memory_order_acquire) == space::Life::finished)
      ++finished;
    else if (job_.process_of(rank) == number)
      return false;
  }
  return finished == through && finished < job.ranks;
}

bool Resizing::is_dispensable(const LaunchedProcess& process) const {
  const space::ControlHeader& job = job_.header();
  const int number = processes_.number_of(process);
  const auto& slot = job_.control().process(number);
  if (job.ranks_are_virtual == 0 || job.is_one_process()) return false;
  if (job.nodes > 1) return processes_.has_left(process);
  if (job.all_have_joined() && !job_.is_reconfiguring() && has_done_its_part(number)) return true;
  const std::uint32_t reconfiguration = job.quiesce.epoch.wanted.load(std::memory_order_relaxed);
  const std::uint32_t since = slot.since.load(std::memory_order_relaxed);
  if (slot.belongs(reconfiguration))
    return since == reconfiguration && since != 0 && job_.is_reconfiguring();
  return since > reconfiguration || slot.step.load(std::memory_order_acquire) == wait::runs_no_more;
}

void Resizing::do_without(LaunchedProcess& process, const Ending& ending) {
  const int number = processes_.number_of(process);
  const bool came = std::erase(joining_, number) > 0;
  say(fmt::format("{} {}: the job goes on without it", processes_.name_of(process), ending.how));
  requests_.note_problem(fmt::format("process {} {}", number, ending.how));
  process.lost = true;
  space::ProcessSlot& slot = processes_.node_of(process).process(number);
  slot.step.store(wait::runs_no_more, std::memory_order_release);
  // A simulation tells its processes of that by itself.
  const bool is_simulated = job_.header().simulation.on != 0;
  if (!came && !is_simulated && slot.until.load(std::memory_order_relaxed) == 0)
    wait::reconfigure(job_.control(), space::Reconfiguration::spread, std::span(&number, 1), {});
}

}  // namespace armature::command
