#include "command/run/restarting.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "command/run/console.hpp"

namespace armature::command {

using space::Restart;

namespace {

// A node is taken back by asking its processes one after the other.
constexpr std::uint64_t leaving_ns = 50'000'000;

}  // namespace

void Restarting::look() {
  coming_.look();
  note_stop();
  for (const space::Control& node : job_.nodes()) {
    const space::Resize& resize = node.header().resize;
    if (resize.restart.load(std::memory_order_acquire) == Restart::failed)
      return give_up(resize.problem);
    if (!node.header().all_have_joined()) return;
  }
  if (job_.is_to_go_on() || !changes_.all_nodes_agree()) return;
  requests_.take_from_nodes();
  note_those_who_leave();
  if (!leave_.empty() && base::now_ns() - leave_since_ns_ < leaving_ns) return;
  const auto& request = requests_.pending();
  const bool is_other =
      request && (request->processes(processes_.hosting().size()) != processes_.hosting().size() ||
                  wants_nodes());
  if (is_other || !leave_.empty()) return want();
  // Somebody has changed his mind.
  if (is_wanted_ || !coming_.all().empty()) return give_up("");
  if (request) requests_.answer_nodes("");
}

/// Ranks have met, and none of them runs any more.
void Restarting::note_stop() {
  const Restart now = job_.header_of_rank_0().resize.restart.load(std::memory_order_acquire);
  if (now != Restart::begun && now != Restart::complete)
    stopped_ns_ = 0;
  else if (stopped_ns_ == 0)
    stopped_ns_ = base::now_ns();
}

/// Processes that are gone, or are to stay after all, leave no more.
void Restarting::forget_who_leaves_no_more() {
  std::erase_if(leave_, [&](int number) {
    const LaunchedProcess& process = processes_.at(number);
    return process.lost || processes_.has_left(process) ||
           processes_.node_of(process).process(number).wants_to_leave.load() == 0;
  });
}

/// Notes those that somebody else has asked to end.
void Restarting::note_those_who_leave() {
  forget_who_leaves_no_more();
  for (const int number : processes_.hosting()) {
    const LaunchedProcess& process = processes_.at(number);
    const space::Control& node = processes_.node_of(process);
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
  if (leave_.size() < processes_.hosting().size()) return;
  // Nobody is left to take their ranks.
  for (const int number : std::exchange(leave_, {})) kill(processes_.at(number).pid, SIGTERM);
}

/// Whether there are to be other nodes than there are. Each has memory of its own, and ranks of
/// other nodes know of it, so the job restarts.
bool Restarting::wants_nodes() const {
  const auto& request = requests_.pending();
  const std::size_t now = processes_.living_nodes().size();
  return request && request->nodes(now) != now;
}

/// Empty when it can be tried.
std::string Restarting::why_not() const {
  const std::string& directory = job_.options().resize_directory;
  if (directory.empty()) return "this job keeps its processes";
  struct stat status {};
  // Nobody else may read what ranks have.
  if (stat(directory.c_str(), &status) == 0 || mkdir(directory.c_str(), 0700) == 0) return {};
  return fmt::format("ranks cannot be written to {}: {}", directory, base::system_text(errno));
}

void Restarting::want() {
  const auto& request = requests_.pending();
  if (const std::string why = request ? requests_.why_not() : std::string(); !why.empty())
    return give_up(why);
  if (wants_nodes()) return want_restart();
  const std::size_t now = processes_.hosting().size();
  const auto leaving = changes_.choose_those_who_leave(
      leave_, request ? std::optional(request->processes(now)) : std::nullopt);
  if (!leaving) return want_restart();
  if (leaving->empty()) return want_more(request->processes(now) - now);
  coming_.dismiss();
  is_wanted_ = true;
  changes_.want(*leaving, space::ProcessSlot::Change::leave);
}

void Restarting::want_more(std::size_t count) {
  if (!coming_.has_numbers_for(count)) return want_restart();
  if (!coming_.bring(count)) return;
  is_wanted_ = true;
  changes_.want(coming_.all(), space::ProcessSlot::Change::come);
  coming_.are_told();
}

void Restarting::want_restart() {
  if (const std::string why = why_not(); !why.empty()) return give_up(why);
  is_wanted_ = true;
  coming_.dismiss();
  changes_.withdraw();
  for (const space::Control& node : job_.nodes()) {
    Restart none = Restart::none;
    node.header().resize.restart.compare_exchange_strong(none, Restart::wanted,
                                                         std::memory_order_acq_rel);
  }
}

void Restarting::give_up(const std::string& why) {
  for (const int number : std::exchange(leave_, {})) {
    const LaunchedProcess& process = processes_.at(number);
    processes_.node_of(process).process(number).wants_to_leave.store(0, std::memory_order_release);
    say(fmt::format("process {} stays: {}", number, why));
  }
  requests_.answer_nodes(why);
  is_wanted_ = false;
  coming_.dismiss();
  changes_.withdraw();
  for (const space::Control& node : job_.nodes()) {
    Restart wanted = Restart::wanted;
    if (!node.header().resize.restart.compare_exchange_strong(wanted, Restart::none)) {
      Restart failed = Restart::failed;
      node.header().resize.restart.compare_exchange_strong(failed, Restart::none);
    }
  }
}

void Restarting::begin_once_more() {
  coming_.begin_once_more();
  for (const space::Control& node : job_.nodes()) {
    Restart begun = Restart::begun;
    node.header().resize.restart.compare_exchange_strong(begun, Restart::wanted);
  }
}

void Restarting::complete(Outcome& outcome) {
  forget_who_leaves_no_more();  // ranks may have been written before anybody has looked again
  std::vector<bool> keeps(job_.nodes().size());
  std::uint32_t staying = 0;
  for (const LaunchedProcess& process : processes_.all()) {
    if (process.lost || processes_.has_left(process) ||
        std::ranges::count(leave_, processes_.number_of(process)) != 0)
      continue;
    keeps[static_cast<std::size_t>(process.node)] = true;
    ++staying;
  }
  outcome.goes_on = true;
  note_stop();
  outcome.stopped_ns = stopped_ns_;
  const auto kept = static_cast<std::uint32_t>(std::ranges::count(keeps, true));
  for (std::size_t node = 0; node < keeps.size(); ++node)
    if (keeps[node]) outcome.kept_nodes.push_back(static_cast<int>(node));
  const auto& request = requests_.pending();
  // Nobody has looked yet at what was asked for last, while processes ended.
  outcome.processes =
      std::min(request ? request->processes(staying) : staying, job_.header().ranks);
  outcome.nodes = std::min(request ? request->nodes(kept) : kept, outcome.processes);
  if (outcome.kept_nodes.size() > outcome.nodes) outcome.kept_nodes.resize(outcome.nodes);
  requests_.settle(outcome.processes, outcome.nodes);
  outcome.resize_wanted = requests_.unanswered();
}

}  // namespace armature::command
