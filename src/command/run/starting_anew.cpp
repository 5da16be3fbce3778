// More processes for virtual ranks on several nodes, or fewer. Memory belongs to a node, so nobody
// who comes could take ranks over: all are written to disk at the next call in which they meet
// (world/start_anew.cpp), all processes end, and whoever waits for this launch starts others, which
// go on from there. Until then nothing has changed, and the last request counts.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/message.hpp"
#include "command/run/console.hpp"
#include "command/run/running_job.hpp"
#include "wait/processes.hpp"

namespace armature::command {

using space::StartAnew;

namespace {

// Whoever takes a node back asks its processes one after the other.
constexpr std::uint64_t leaving_ns = 50'000'000;

}  // namespace

/// All ranks are written: the job goes on without these processes.
bool RunningJob::is_to_go_on() const {
  return of_nodes_.size() > 1 && std::ranges::any_of(of_nodes_, [](const space::Control& node) {
           return node.header().resize.anew.load(std::memory_order_acquire) == StartAnew::complete;
         });
}

/// The last one counts, whichever node's rank, or command, it is of.
void RunningJob::take_requests_of_nodes() {
  requests_.resize(of_nodes_.size());
  for (std::size_t node = 0; node < of_nodes_.size(); ++node) {
    const std::uint64_t wanted =
        of_nodes_[node].header().resize.wanted.load(std::memory_order_acquire);
    const auto number = static_cast<std::uint32_t>(wanted >> 32);
    if (std::exchange(requests_[node], number) == number) continue;
    request_ =
        Request{.number = number, .processes = static_cast<std::uint32_t>(wanted), .problem = ""};
  }
}

/// To whoever has asked, on all nodes.
void RunningJob::answer_nodes(const std::string& refusal) {
  for (std::size_t node = 0; node < of_nodes_.size(); ++node) {
    space::Resize& resize = of_nodes_[node].header().resize;
    base::copy_text(resize.refusal, refusal);
    resize.answered.store(requests_[node], std::memory_order_release);
  }
  request_.reset();
}

/// Empty when it can be tried.
std::string RunningJob::why_not_start_anew() const {
  if (options_.resize_directory.empty()) return "this job keeps its processes";
  if (std::string why = request_ ? why_not_resize() : std::string(); !why.empty()) return why;
  struct stat status {};
  const std::string& directory = options_.resize_directory;
  // Nobody else may read what ranks have.
  if (stat(directory.c_str(), &status) == 0 || mkdir(directory.c_str(), 0700) == 0) return {};
  return fmt::format("ranks cannot be written to {}: {}", directory, base::system_text(errno));
}

/// Those that somebody else has asked to end.
void RunningJob::note_those_who_leave() {
  std::erase_if(leave_,
                [&](int number) { return processes_[static_cast<std::size_t>(number)].lost; });
  for (const int number : hosting()) {
    const Process& process = processes_[static_cast<std::size_t>(number)];
    const space::Control& node = of_nodes_[static_cast<std::size_t>(process.node)];
    if (node.process(number).wants_to_leave.load(std::memory_order_acquire) == 0 ||
        std::ranges::find(leave_, number) != leave_.end())
      continue;
    leave_.push_back(number);
    leave_since_ns_ = base::now_ns();
    say(fmt::format(
        "process {} (pid {}) leaves as soon as all ranks meet in checkpoint, rebalance or "
        "migrate_together{}",
        number, process.pid,
        node.header().resize.has_met.load(std::memory_order_relaxed) != 0
            ? ""
            : ", which they have not done so far"));
  }
  if (leave_.size() < hosting().size()) return;
  // Nobody is left to take their ranks.
  for (const int number : std::exchange(leave_, {}))
    kill(processes_[static_cast<std::size_t>(number)].pid, SIGTERM);
}

void RunningJob::want_to_start_anew() {
  if (const std::string why = why_not_start_anew(); !why.empty()) return give_up_starting_anew(why);
  is_wanted_anew_ = true;
  for (const space::Control& node : of_nodes_) {
    StartAnew none = StartAnew::none;
    node.header().resize.anew.compare_exchange_strong(none, StartAnew::wanted,
                                                      std::memory_order_acq_rel);
  }
}

void RunningJob::give_up_starting_anew(const std::string& why) {
  for (const int number : std::exchange(leave_, {})) {
    const Process& process = processes_[static_cast<std::size_t>(number)];
    of_nodes_[static_cast<std::size_t>(process.node)].process(number).wants_to_leave.store(
        0, std::memory_order_release);
    say(fmt::format("process {} stays: {}", number, why));
  }
  answer_nodes(why);
  is_wanted_anew_ = false;
  for (const space::Control& node : of_nodes_) {
    StartAnew wanted = StartAnew::wanted;
    if (!node.header().resize.anew.compare_exchange_strong(wanted, StartAnew::none)) {
      StartAnew failed = StartAnew::failed;
      node.header().resize.anew.compare_exchange_strong(failed, StartAnew::none);
    }
  }
}

/// Whoever had begun has gone back, and does not know of it.
void RunningJob::begin_anew_once_more() {
  for (const space::Control& node : of_nodes_) {
    StartAnew begun = StartAnew::begun;
    node.header().resize.anew.compare_exchange_strong(begun, StartAnew::wanted);
  }
}

void RunningJob::watch_starting_anew() {
  for (const space::Control& node : of_nodes_) {
    const space::Resize& resize = node.header().resize;
    if (resize.anew.load(std::memory_order_acquire) == StartAnew::failed)
      return give_up_starting_anew(resize.problem);
    if (!node.header().all_have_joined()) return;
  }
  if (filling_ != nullptr || is_to_go_on()) return;
  take_requests_of_nodes();
  note_those_who_leave();
  if (!leave_.empty() && base::now_ns() - leave_since_ns_ < leaving_ns) return;
  const bool is_other = request_ && request_->processes != hosting().size();
  if (is_other || !leave_.empty()) return want_to_start_anew();
  if (is_wanted_anew_) return give_up_starting_anew("");  // somebody has changed his mind
  if (request_) answer_nodes("");
}

/// What becomes of the job now that none of its processes is left.
Outcome RunningJob::outcome() const {
  Outcome outcome{.status = failure_.value_or(0),
                  .was_killed = failure_ && was_killed_ && passed_on_ == 0};
  if (request_)
    outcome.resize_wanted = std::uint64_t{std::max(requests_.empty() ? 0 : requests_.front(), 1u)}
                                << 32 |
                            request_->processes;
  if (!is_to_go_on() || failure_) return outcome;
  if (passed_on_ != 0) {  // by somebody who wants it to end
    outcome.status = 128 + passed_on_;
    return outcome;
  }
  std::vector<bool> keeps(of_nodes_.size());
  std::uint32_t staying = 0;
  for (int number = 0; number < static_cast<int>(processes_.size()); ++number) {
    const Process& process = processes_[static_cast<std::size_t>(number)];
    if (process.lost || std::ranges::find(leave_, number) != leave_.end()) continue;
    keeps[static_cast<std::size_t>(process.node)] = true;
    ++staying;
  }
  outcome.goes_on = true;
  outcome.processes = request_ ? request_->processes : staying;
  outcome.nodes =
      std::min(static_cast<std::uint32_t>(std::ranges::count(keeps, true)), outcome.processes);
  return outcome;
}

}  // namespace armature::command
