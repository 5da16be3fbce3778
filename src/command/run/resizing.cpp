// More processes for virtual ranks, or fewer, while they run. Those to come are started and join;
// those to go are named; then all regroup once, which gives each of those that are left as many
// ranks as the others (virtual/checkpoint/regroup.cpp). Until then nothing has changed, so whatever
// fails before that is told, and the job goes on as it was.
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/message.hpp"
#include "command/run/console.hpp"
#include "command/run/running_job.hpp"
#include "wait/processes.hpp"

namespace armature::command {

bool RunningJob::is_regrouping() const { return control_.header().halt.is_to_regroup(); }

bool RunningJob::is_resizing() const {
  return spreads_ || !joining_.empty() || ((request_ || !leave_.empty()) && !is_wanted_anew_);
}

/// The numbers of those that host ranks and will go on to.
std::vector<int> RunningJob::hosting() const {
  const std::uint32_t regroup = control_.header().halt.regroup.load(std::memory_order_relaxed);
  std::vector<int> numbers;
  for (int number = 0; number < static_cast<int>(processes_.size()); ++number) {
    const Process& process = processes_[static_cast<std::size_t>(number)];
    if (process.alive && !process.lost && control_.process(number).belongs(regroup))
      numbers.push_back(number);
  }
  return numbers;
}

// -- what is asked for ----------------------------------------------------------------------------

/// Empty when it can be done.
std::string RunningJob::why_not_resize() const {
  const space::ControlHeader& job = control_.header();
  if (job.differ.load(std::memory_order_relaxed) != 0)
    return "ranks cannot move between the processes of this job: armature doctor may say why";
  if (options_.on_death == space::OnDeath::go_on)
    return "a job that goes on without those that have died (--on-death continue) keeps its "
           "processes";
  if (request_->processes < 1 || request_->processes > job.ranks)
    return fmt::format("{} processes are not possible: 1 to {}, as many as there are ranks, are",
                       request_->processes, job.ranks);
  if (job.through.load(std::memory_order_acquire) >= job.ranks) return "all ranks have ended";
  return request_->problem;
}

/// The last one counts.
void RunningJob::take_request() {
  const space::Resize& resize = control_.header().resize;
  const std::uint64_t wanted = resize.wanted.load(std::memory_order_acquire);
  const auto number = static_cast<std::uint32_t>(wanted >> 32);
  const std::uint32_t known =
      request_ ? request_->number : resize.answered.load(std::memory_order_relaxed);
  if (number != known)
    request_ =
        Request{.number = number, .processes = static_cast<std::uint32_t>(wanted), .problem = ""};
}

void RunningJob::answer_request(const std::string& refusal) {
  space::Resize& resize = control_.header().resize;
  base::copy_text(resize.refusal, refusal);
  resize.answered.store(request_->number, std::memory_order_release);
  request_.reset();
  wait::wake_processes(control_);
}

void RunningJob::fulfil_request() {
  if (const std::string why = why_not_resize(); !why.empty()) return answer_request(why);
  const std::vector<int> all = hosting();
  const std::size_t wanted = request_->processes;
  if (wanted == all.size()) return answer_request("");
  if (wanted > all.size()) return start_joining(wanted - all.size());
  (void)spread({all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end()}, {});
}

/// Those that somebody else has asked to end.
std::vector<int> RunningJob::take_those_who_want_to_leave() {
  std::vector<int> all = hosting(), leave;
  for (const int number : all)
    if (control_.process(number).wants_to_leave.load(std::memory_order_acquire) != 0)
      leave.push_back(number);
  if (leave.size() < all.size()) return leave;
  // Nobody is left to take their ranks.
  for (const int number : leave) kill(processes_[static_cast<std::size_t>(number)].pid, SIGTERM);
  return {};
}

// -- coming and going -----------------------------------------------------------------------------

/// A number that was somebody's goes to another when that one is gone.
void RunningJob::start_joining(std::size_t count) {
  const auto ranks = static_cast<int>(control_.header().ranks);
  for (int number = 0; joining_.size() < count && number < ranks; ++number) {
    const auto place = static_cast<std::size_t>(number);
    const bool is_new = place == processes_.size();
    if (!is_new && processes_[place].alive) continue;
    space::ProcessSlot& slot = control_.process(number);
    slot.since.store(UINT32_MAX, std::memory_order_release);
    slot.until.store(0, std::memory_order_release);
    slot.step.store(0, std::memory_order_release);
    for (std::atomic<std::uint32_t>* word : {&slot.joined, &slot.wants_to_leave, &slot.asleep})
      word->store(0, std::memory_order_release);
    Process process{.ranks = {ranks - 1, 0, number}};
    Labels::Ends ends;
    if (options_.label) ends = labels_.open(process.ranks.numbers());
    const auto started = spawner_->start(process.ranks, 0, {ends.out.get(), ends.err.get()});
    if (started.error != 0) {
      request_->problem =
          fmt::format("no further process can be started: {}", base::system_text(started.error));
      return;
    }
    process.pid = started.pid;
    process.alive = true;
    if (is_new) processes_.emplace_back();
    processes_[place] = process;
    joining_.push_back(number);
  }
  // Else those that leave are still there.
}

/// All that have been started and live.
bool RunningJob::have_joined() {
  std::erase_if(joining_, [&](int number) {
    const bool is_gone = !processes_[static_cast<std::size_t>(number)].alive;
    if (is_gone && request_)
      request_->problem = fmt::format("process {} ended before it joined the job", number);
    return is_gone;
  });
  return std::all_of(joining_.begin(), joining_.end(), [&](int number) {
    return control_.process(number).joined.load(std::memory_order_acquire) != 0;
  });
}

/// False while a checkpoint is made.
bool RunningJob::spread(const std::vector<int>& leave, const std::vector<int>& join) {
  return regroup_alone(space::Regroup::spread, leave, join);
}

bool RunningJob::regroup_alone(space::Regroup as, const std::vector<int>& leave,
                               const std::vector<int>& join) {
  space::ControlHeader& job = control_.header();
  if (!job.halt.ask_for(space::Asked::regrouping)) return false;
  job.resize.holder.store(-1, std::memory_order_relaxed);
  leaving_ = leave;
  spreads_ = true;
  spreading_since_ns_ = base::now_ns();
  wait::regroup(control_, as, leave, join);
  return true;
}

/// Those that may not move stay.
void RunningJob::rebalance() {
  const space::ControlHeader& job = control_.header();
  const space::Asked asked = job.halt.asked.load(std::memory_order_relaxed);
  if (asked != space::Asked::nothing || job.through.load(std::memory_order_acquire) >= job.ranks)
    return;
  if (rebalancing_.plan(hosting(), base::now_ns()))
    rebalances_ = regroup_alone(space::Regroup::place, {}, {});
}

void RunningJob::have_spread() {
  space::ControlHeader& job = control_.header();
  spreads_ = false;
  job.halt.ask_no_more_for(space::Asked::regrouping);
  const std::uint32_t regrouped = job.halt.regrouped.load(std::memory_order_acquire);
  const std::vector<int> left = std::exchange(leaving_, {});
  for (const int number : left) {
    control_.process(number).wants_to_leave.store(0, std::memory_order_release);
    if (!control_.process(number).belongs(regrouped)) continue;
    // It was killed when others were about to take its ranks, and not all could be taken.
    if (Process& process = processes_[static_cast<std::size_t>(number)]; process.lost) {
      process.lost = false;
      has_exited(process);
      continue;
    }
    const std::string why =
        fmt::format("process {} stays: rank {} {}, which cannot move", number,
                    job.resize.holder.load(std::memory_order_relaxed),
                    space::text(job.resize.holder_has.load(std::memory_order_relaxed)));
    if (request_) request_->problem = why;
    say(why);
  }
  const std::uint64_t now_ns = base::now_ns();
  // Else a process was killed meanwhile, and they went back.
  const bool have_moved =
      job.halt.regroup_as.load(std::memory_order_relaxed) == space::Regroup::place;
  if (std::exchange(rebalances_, false) && have_moved)
    return rebalancing_.have_moved(now_ns - spreading_since_ns_, now_ns);
  if (options_.verbose)
    say(fmt::format("ranks are in {} processes now, after {:.1f} ms", wait::hosting_processes(job),
                    static_cast<double>(now_ns - spreading_since_ns_) * 1e-6));
}

// -- deaths that do not matter --------------------------------------------------------------------

/// Whether all ranks that it hosts have ended, and others have not. A rank is told to have finished
/// a little before it has left its stack, and is counted then. When as many are counted as have
/// finished by now, all those have left.
bool RunningJob::has_done_its_part(int number) const {
  const space::ControlHeader& job = control_.header();
  if (job.nodes > 1 || job.simulated != 0 || job.deaths.load(std::memory_order_relaxed) != 0)
    return false;
  const std::uint32_t through = job.through.load(std::memory_order_acquire);  // first
  std::uint32_t finished = 0;
  for (int rank = 0; rank < static_cast<int>(job.ranks); ++rank) {
    if (control_.slot(rank).life.load(std::memory_order_acquire) == space::Life::finished)
      ++finished;
    else if (process_of(rank) == number)
      return false;
  }
  return finished == through && finished < job.ranks;
}

/// Whether it hosts no rank that has still to do something: it has handed all over, has none yet,
/// or all have ended.
bool RunningJob::is_dispensable(const Process& process) const {
  const space::Halt& halt = control_.header().halt;
  const auto number = static_cast<int>(&process - processes_.data());
  const auto& slot = control_.process(number);
  // A simulation is not resized, and tells its processes of deaths itself.
  if (control_.header().ranks_are_virtual == 0 || control_.header().simulated != 0) return false;
  if (control_.header().all_have_joined() && !is_regrouping() && has_done_its_part(number))
    return true;
  const std::uint32_t regroup = halt.regroup.load(std::memory_order_relaxed);
  const std::uint32_t since = slot.since.load(std::memory_order_relaxed);
  if (slot.belongs(regroup)) return since == regroup && since != 0 && is_regrouping();
  return since > regroup || slot.step.load(std::memory_order_acquire) == wait::runs_no_more;
}

void RunningJob::do_without(Process& process, const Ending& ending) {
  const auto number = static_cast<int>(&process - processes_.data());
  const bool came = std::erase(joining_, number) > 0;
  say(fmt::format("{} {}: the job goes on without it", name_of(process), ending.how));
  if (request_) request_->problem = fmt::format("process {} {}", number, ending.how);
  process.lost = true;
  space::ProcessSlot& slot = control_.process(number);
  slot.step.store(wait::runs_no_more, std::memory_order_release);
  if (!came && slot.until.load(std::memory_order_relaxed) == 0)
    wait::regroup(control_, space::Regroup::spread, std::span(&number, 1), {});
}

/// One thing after the other.
void RunningJob::watch_resizing() {
  const space::ControlHeader& job = control_.header();
  if (job.ranks_are_virtual == 0 || job.simulated != 0 || ending_) return;
  if (job.nodes > 1) return watch_starting_anew();
  if (is_regrouping() || recovering_since_ns_ != 0) return;
  if (spreads_) have_spread();
  take_request();
  if (!job.all_have_joined()) return;
  if (!joining_.empty()) {
    if (have_joined() && !joining_.empty() && spread({}, joining_)) joining_.clear();
    return;
  }
  if (const std::vector<int> leave = take_those_who_want_to_leave(); !leave.empty())
    return static_cast<void>(spread(leave, {}));
  if (request_) return fulfil_request();
  if (rebalancing_.next_ns() != 0 && base::now_ns() >= rebalancing_.next_ns()) rebalance();
}

}  // namespace armature::command
