#include "command/run/running_job.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/run/console.hpp"
#include "command/run/program.hpp"
#include "engines/sim/turns.hpp"

namespace armature::command {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;

// A rank that wants to say something wakes us; this is for those that are not our children, and for
// time.
constexpr int look_ms = 100;
// Used while processes come and go, and with --verbose, which tells how long joining took.
constexpr int look_often_ms = 1;

}  // namespace

RunningJob::RunningJob(const LaunchOptions& options, Start start)
    : path_(start.path),
      view_(options, start.memory, start.control),
      signals_(options.signals != nullptr ? options.signals : std::make_shared<const Signals>()),
      starter_(view_,
               {std::move(start.path), options.command, start.memory, start.store, *signals_,
                std::move(start.binding), view_.header().ranks_are_virtual != 0,
                std::move(start.networks)},
               output_),
      start_(view_, shutdown_, time_, start.filling),
      checkpoints_(options, start.control),
      reports_(view_, processes_, output_, shutdown_, start.store) {}

Outcome RunningJob::run() {
  if (start_processes()) {
    debuggers_.announce();
    while (processes_.any_alive()) {
      sleep_until_something_happens();
      look();
    }
  }
  finish();
  const Outcome outcome = this->outcome();
  if (view_.options().verbose && !outcome.goes_on) {
    const auto took_ns = base::now_ns() - view_.header().started_ns;
    say(fmt::format("the job ended after {:.3f} s with status {}",
                    static_cast<double>(took_ns) * 1e-9, outcome.status));
    write_the_rest();
  }
  return outcome;
}

/// False when that cannot be done; what has been started is then ended by the caller.
bool RunningJob::start_processes() {
  return std::ranges::all_of(processes_.all(),
                             [&](LaunchedProcess& process) { return start(process); });
}

bool RunningJob::start(LaunchedProcess& process) {
  const Hosted& ranks = process.ranks;
  if (const int error = starter_.start(process); error == EAGAIN) {
    say_headline(fmt::format(
        "no process for rank {}: the limit of processes is reached (ulimit -u, or pids.max "
        "of the control group)",
        ranks.numbers()));
    shutdown_.fail(1);
    return false;
  } else if (error != 0) {
    const Program program = cannot_run(path_, error);
    say_headline(program.problem);
    shutdown_.fail(program.status);
    return false;
  }
  debuggers_.hold(process);
  for (int rank = ranks.first; rank < ranks.first + ranks.count; ++rank) {
    // The program may have been started by a script: then it says its own number when it joins.
    std::int32_t unknown = 0;
    view_.control().slot(rank).pid.compare_exchange_strong(unknown, process.pid);
  }
  return true;
}

void RunningJob::sleep_until_something_happens() {
  std::vector<pollfd> polled = {{signals_->fd(), POLLIN, 0}};
  output_.add_to(polled);
  poll(polled.data(), polled.size(), milliseconds_to_sleep());
}

int RunningJob::milliseconds_to_sleep() const {
  const std::uint64_t now_ns = base::now_ns();
  const bool is_timed =
      view_.options().tells_times() && (!start_.all_have_joined() || recovery_.is_under_way() ||
                                        (view_.options().elastic && restarting_.is_under_way()));
  const bool is_changing = resizing_.awaits_simulation() || resizing_.is_under_way() ||
                           restarting_.is_due() || start_.is_filling();
  int wait_ms = is_timed || is_changing ? look_often_ms : look_ms;
  if (const std::uint64_t kill_at_ns = shutdown_.kill_at_ns(); kill_at_ns > now_ns)
    wait_ms = std::min(wait_ms, static_cast<int>((kill_at_ns - now_ns) / millisecond) + 1);
  for (const std::uint64_t next_ns : {checkpoints_.next_ns(), resizing_.next_ns()})
    if (next_ns != 0)
      wait_ms = static_cast<int>(
          std::min<std::uint64_t>(static_cast<std::uint64_t>(wait_ms),
                                  (std::max(next_ns, now_ns) - now_ns) / millisecond + 1));
  return wait_ms;
}

void RunningJob::look() {
  processes_.follow_ranks();
  signal_policy_.handle();
  output_.write();
  output_.pass_on();
  deaths_.look();
  debuggers_.follow();
  start_.look();
  time_.look();
  recovery_.look();
  watch_resizing();
  watch_simulation();
  checkpoints_.look(base::now_ns());
  shutdown_.kill_when_due();
  if (const auto failure = shutdown_.failure()) debuggers_.announce_failure(*failure);
}

void RunningJob::watch_resizing() {
  const space::ControlHeader& job = view_.header();
  if (job.ranks_are_virtual == 0 || job.simulation.on != 0 || shutdown_.is_ending()) return;
  if (job.nodes > 1) {
    if (start_.is_filling()) return;
    hosts_.look();
    restarting_.look();
    return;
  }
  if (view_.is_reconfiguring() || recovery_.is_under_way()) return;
  resizing_.finish([&](LaunchedProcess& process) { deaths_.has_exited(process); });
  resizing_.look();
}

/// Processes that come to a simulation later are started when all others wait for them.
void RunningJob::watch_simulation() {
  const auto is_ready = [&](const LaunchedProcess& process) {
    const space::Control& node = processes_.node_of(process);
    return node.process(processes_.number_of(process)).joined.load(std::memory_order_acquire) ==
           transport::sim::awaits_others;
  };
  if (!resizing_.awaits_simulation() || shutdown_.is_ending() ||
      !std::ranges::all_of(processes_.all(), is_ready))
    return;
  if (resizing_.start_for_simulation(coming_)) return;
  say_headline("the processes that are to come to the simulation cannot be started");
  shutdown_.fail(1);
  shutdown_.end_job();
}

/// No rank is left.
void RunningJob::finish() {
  shutdown_.await_orphans();
  if (const int left = processes_.kill_those_left(); left > 0) deaths_.have_killed(left);
  output_.finish_labels();
  write_the_rest();
  if (reports_.say_deaths_alike()) write_the_rest();
  if (view_.nodes().size() > 1) requests_.take_last_from_nodes();
}

void RunningJob::write_the_rest() {
  output_.write_the_rest(*signals_, [&] { return signal_policy_.is_writing_cut_short(); });
}

/// Says what becomes of the job now that none of its processes is left.
Outcome RunningJob::outcome() {
  const auto failure = shutdown_.failure();
  const int passed_on = shutdown_.passed_on();
  Outcome outcome{.status = failure.value_or(0),
                  .was_killed = failure && shutdown_.was_killed() && passed_on == 0,
                  .resize_wanted = requests_.unanswered(),
                  .started = view_.header().resize.started.load(std::memory_order_relaxed)};
  if (!view_.is_to_go_on() || failure) return outcome;
  if (passed_on != 0)  // by somebody who wants it to end
    outcome.status = 128 + passed_on;
  else
    restarting_.complete(outcome);
  return outcome;
}

}  // namespace armature::command
