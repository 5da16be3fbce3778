#include "command/run/running_job.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/process_stat.hpp"
#include "command/explain/explain.hpp"
#include "command/run/console.hpp"
#include "command/run/program.hpp"
#include "topology/cgroup.hpp"

namespace armature::command {
namespace {

using space::Life;

constexpr std::uint64_t millisecond = 1'000'000;
constexpr std::uint64_t grace_ns = 300 * millisecond;  // between SIGTERM and SIGKILL

// A rank that wants to say something wakes us; this is for those that are not our children, and for
// time.
constexpr int look_ms = 100;
// While processes come and go, and with --verbose, which tells how long joining took.
constexpr int look_often_ms = 1;

bool ends_programs(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

}  // namespace

RunningJob::RunningJob(const LaunchOptions& options, const std::vector<space::JobMemory>& memory,
                       space::Control control, int board, const Filling* filling)
    : options_(options),
      memory_(memory),
      control_(control),
      board_(board),
      filling_(filling),
      stall_(options.stall_s, base::now_ns()),
      checkpoints_(options, control),
      rebalancing_(options, control),
      oom_kills_before_(topology::cgroup_limits().oom_kills) {
  for (const auto& node : memory) of_nodes_.push_back(space::map_control(node.control.get()));
  const bool one_file = control.header().ranks_are_virtual != 0;
  for (const auto& node : memory) {
    band_files_.controls.push_back(node.control.get());
    if (one_file) band_files_.fds.push_back(node.bands.front().get());
  }
  for (int rank = 0; !one_file && rank < static_cast<int>(control.header().ranks); ++rank)
    band_files_.fds.push_back(memory[static_cast<std::size_t>(control.slot(rank).node)]
                                  .bands[static_cast<std::size_t>(rank)]
                                  .get());
  for (int rank = 0; rank < static_cast<int>(control.header().ranks); ++rank) {
    if (control.slot(rank).index == 0)
      processes_.push_back({.ranks = {rank, 0}, .node = control.slot(rank).node});
    ++processes_.back().ranks.count;
  }
}

Outcome RunningJob::run(const std::string& path, Binding binding) {
  if (start_processes(path, std::move(binding))) {
    while (any_alive()) {
      sleep_until_something_happens();
      follow_ranks();
      handle_signals();
      watch_output();
      labels_.pass_on();
      read_last_words();
      reap();
      refuse_those_who_never_joined();
      kill_those_given_up();
      watch_joining();
      watch_filling();
      watch_time();
      watch_recovery();
      watch_resizing();
      checkpoints_.look(base::now_ns());
      kill_when_due();
    }
  }
  await_those_left_behind();
  const int left = descendants_.kill_all();
  if (left > 0) have_killed(left);
  labels_.finish();
  write_the_rest();
  report_deaths_alike();
  if (of_nodes_.size() > 1) take_requests_of_nodes();
  const Outcome outcome = this->outcome();
  if (options_.verbose && !outcome.goes_on) {
    const auto took_ns = base::now_ns() - control_.header().started_ns;
    say(fmt::format("the job ended after {:.3f} s with status {}",
                    static_cast<double>(took_ns) * 1e-9, outcome.status));
    write_the_rest();
  }
  return outcome;
}

/// False when that cannot be done; what has been started is then ended by the caller.
bool RunningJob::start_processes(const std::string& path, Binding binding) {
  Spawner& spawner =
      spawner_.emplace(Spawner::Job{path, options_.command, memory_, board_, signals_,
                                    std::move(binding), control_.header().ranks_are_virtual != 0});
  for (Process& process : processes_) {
    Labels::Ends ends;
    if (options_.label) ends = labels_.open(process.ranks.numbers());
    const auto started =
        spawner.start(process.ranks, process.node, {ends.out.get(), ends.err.get()});
    if (started.error == EAGAIN) {
      say_headline(fmt::format(
          "no process for rank {}: the limit of processes is reached (ulimit -u, or pids.max "
          "of the control group)",
          process.ranks.numbers()));
      failure_ = 1;
    } else if (started.error != 0) {
      const Program program = cannot_run(path, started.error);
      say_headline(program.problem);
      failure_ = program.status;
    }
    if (failure_) return false;
    process.pid = started.pid;
    process.alive = true;
    for (int rank = process.ranks.first; rank < process.ranks.first + process.ranks.count; ++rank) {
      // The program may have been started by a script: then it says its own number when it joins.
      std::int32_t unknown = 0;
      control_.slot(rank).pid.compare_exchange_strong(unknown, started.pid);
    }
  }
  return true;
}

void RunningJob::sleep_until_something_happens() {
  std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0}};
  labels_.add_to(polled);
  outputs_.add_to(polled);
  const std::uint64_t now_ns = base::now_ns();
  const bool is_watching = options_.verbose && (!joined_ || recovering_since_ns_ != 0);
  int wait_ms = is_watching || is_resizing() || filling_ != nullptr ? look_often_ms : look_ms;
  if (kill_at_ns_ > now_ns)
    wait_ms = std::min(wait_ms, static_cast<int>((kill_at_ns_ - now_ns) / millisecond) + 1);
  for (const std::uint64_t next_ns : {checkpoints_.next_ns(), rebalancing_.next_ns()})
    if (next_ns != 0)
      wait_ms = static_cast<int>(
          std::min<std::uint64_t>(static_cast<std::uint64_t>(wait_ms),
                                  (std::max(next_ns, now_ns) - now_ns) / millisecond + 1));
  poll(polled.data(), polled.size(), wait_ms);
}

void RunningJob::handle_signals() {
  while (const auto signal = signals_.next()) {
    if (signal->number == SIGINT && std::exchange(interrupted_, true)) {
      say("interrupted twice: all ranks are killed");
      passed_on_ = SIGKILL;
      signal_processes(SIGKILL);
    } else if (signal->number == SIGUSR2 && !options_.checkpoint_directory.empty()) {
      if (options_.nodes == 1)
        checkpoints_.ask();
      else
        ask_program_for_checkpoint();
    } else if (signal->number != SIGCHLD) {
      pass_on(*signal);
    }
  }
}

void RunningJob::pass_on(Signals::Arrived signal) {
  // Whoever asks once more does not want to wait.
  if (signal.number == SIGTERM && passed_on_ == SIGTERM && kill_at_ns_ == 0) {
    say("asked to end twice: ranks that do not end now are killed");
    kill_at_ns_ = base::now_ns() + grace_ns;
  }
  // What the terminal's keys send goes to the ranks too, since they are in our process group.
  if (ends_programs(signal.number)) ask_to_end();
  if (!signal.by_terminal) signal_processes(signal.number);
  if (ends_programs(signal.number)) passed_on_ = signal.number;
  if (signal.number == SIGTSTP) stop_with_the_ranks();
}

void RunningJob::stop_with_the_ranks() {
  signals_.stop();
  // Here somebody has continued us, and SIGCONT waits to be passed on.
  stall_.restart(base::now_ns());
}

/// On several nodes: it says where in its course that can be.
void RunningJob::ask_program_for_checkpoint() {
  space::ControlHeader& job = header_of_rank_0();
  job.halt.requests.fetch_add(1, std::memory_order_relaxed);
  if (job.checkpoints.is_asked_for.load(std::memory_order_relaxed) == 0)
    say("a checkpoint is written as soon as the program calls armature::checkpoint with .when_due "
        "= true, which it has not done so far");
}

space::ControlHeader& RunningJob::header_of_rank_0() const {
  return of_nodes_[static_cast<std::size_t>(control_.slot(0).node)].header();
}

/// Where ranks have changed nodes, their slots are those of the nodes that they are on now.
void RunningJob::follow_ranks() {
  if (of_nodes_.size() < 2) return;
  if (recovers_on_nodes()) return follow_living_ranks();
  const std::uint32_t times = of_nodes_.front().header().halt.over.load(std::memory_order_acquire);
  if (std::exchange(followed_, times) == times) return;
  for (const auto& node : memory_)
    if (!show_slots_of(control_, node.control.get(), true))
      say(fmt::format("ranks cannot be watched any more: {}", base::system_text(errno)));
  bring_requests_after(living_nodes());
}

/// What rank 0 has not seen, since it was on its way, it finds where it is.
void RunningJob::bring_requests_after(const std::vector<int>& nodes) {
  for (const int node : nodes)
    if (const std::uint32_t unseen =
            of_nodes_[static_cast<std::size_t>(node)].header().halt.requests.exchange(0))
      header_of_rank_0().halt.requests.fetch_add(unseen);
}

/// Ranks do not run yet.
void RunningJob::watch_filling() {
  if (filling_ == nullptr) return;
  stall_.restart(base::now_ns());
  if (!filling_->is_over()) return;
  if (filling_->has_failed()) {
    ending_ = true;
    signal_processes(SIGKILL);
  }
  filling_ = nullptr;
}

void RunningJob::watch_joining() {
  if (!options_.verbose || joined_) return;
  const std::uint32_t ranks = control_.header().ranks;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (control_.slot(static_cast<int>(rank)).life.load(std::memory_order_relaxed) ==
        Life::starting)
      return;
  joined_ = true;
  say(fmt::format("all {} ranks have joined after {:.0f} ms", ranks,
                  static_cast<double>(base::now_ns() - control_.header().started_ns) * 1e-6));
}

std::string RunningJob::explanation() const {
  return text(explain(observe(control_, band_files_)));
}

/// Where it is lost, as on a full disk, the job has failed. That nobody reads it is up to the
/// ranks: their pipes are closed.
void RunningJob::watch_output() {
  outputs_.write();
  if (!options_.label || outputs_.error() == 0 || has_lost_output_) return;
  has_lost_output_ = true;
  say_headline(
      fmt::format("what the ranks write is lost: {}", base::system_text(outputs_.error())));
  if (!failure_) failure_ = 1;
  end_job();
}

/// All ranks are gone. Somebody may read what they have written page by page, and has all the time
/// that the job has.
void RunningJob::write_the_rest() {
  constexpr std::uint64_t patience_ns = 1'000 * millisecond;
  watch_output();
  std::uint64_t taken_ns = base::now_ns();
  while (const std::size_t waiting = outputs_.waiting()) {
    std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0}};
    outputs_.add_to(polled);
    poll(polled.data(), polled.size(), look_ms);
    watch_output();
    if (outputs_.waiting() != waiting) taken_ns = base::now_ns();
    if (!is_writing_cut_short() || base::now_ns() - taken_ns < patience_ns) continue;
    outputs_.give_up(ETIMEDOUT);
    has_lost_output_ = true;
    if (!failure_) failure_ = passed_on_ != 0 ? 128 + passed_on_ : status_timeout;
  }
}

/// Then who takes nothing for a moment gets no more.
bool RunningJob::is_writing_cut_short() {
  while (const auto signal = signals_.next()) {
    if (signal->number == SIGTSTP) stop_with_the_ranks();
    if (ends_programs(signal->number)) passed_on_ = signal->number;
  }
  return passed_on_ != 0 || is_time_up();
}

bool RunningJob::is_time_up() const {
  const std::uint64_t begun_ns =
      options_.timeout_from_ns != 0 ? options_.timeout_from_ns : control_.header().started_ns;
  const double age_s = static_cast<double>(base::now_ns() - begun_ns) * 1e-9;
  return options_.timeout_s > 0 && age_s >= options_.timeout_s;
}

void RunningJob::watch_time() {
  if (ending_) return;
  const std::uint64_t now_ns = base::now_ns();
  if (is_time_up()) {
    say_headline(
        fmt::format(
            "the job was not through after {} s (--timeout) and is ended. What its ranks did:",
            options_.timeout_s),
        explanation());
    if (!failure_) failure_ = status_timeout;
    return end_job();
  }
  if (stall_.due(control_, now_ns)) {
    say_headline(fmt::format("nothing has moved for {:.0f} s (--stall). What the ranks do:",
                             stall_.still_s(now_ns)),
                 explanation());
  }
}

/// Where a rank has joined, it is the one to hear of it: a script around it could do no better than
/// to pass it on, and most would just end.
void RunningJob::signal_processes(int signal) {
  has_killed_ = has_killed_ || signal == SIGKILL;
  std::vector<pid_t> ours;
  for (const Process& process : processes_) {
    if (!process.alive) continue;
    // It ends by itself. SIGKILL would cut its core file short.
    if (signal == SIGKILL && base::writes_core_file(process.pid)) continue;
    const pid_t behind = joined_behind(process, ours);
    if (behind > 0) kill(behind, signal);
    if (behind <= 0 || signal == SIGKILL) kill(process.pid, signal);
  }
}

/// Ranks whose script has ended have been asked to end, and get the time for it that others get.
void RunningJob::await_those_left_behind() const {
  constexpr timespec pause{0, 2'000'000};
  const auto are_left = [&] {
    std::vector<pid_t> ours;
    return std::ranges::any_of(processes_,
                               [&](const Process& p) { return joined_behind(p, ours) > 0; });
  };
  for (const std::uint64_t until_ns = base::now_ns() + grace_ns;
       base::now_ns() < until_ns && are_left();)
    nanosleep(&pause, nullptr);
}

/// Before they get the signal for it.
void RunningJob::ask_to_end() {
  for (const space::Control& control : of_nodes_)
    control.header().is_to_end.store(1, std::memory_order_release);
}

void RunningJob::end_job() {
  if (std::exchange(ending_, true)) return;
  ask_to_end();
  signal_processes(SIGTERM);
  kill_at_ns_ = base::now_ns() + grace_ns;
}

void RunningJob::kill_when_due() {
  if (kill_at_ns_ == 0 || base::now_ns() < kill_at_ns_) return;
  if (passed_on_ != 0) passed_on_ = SIGKILL;
  signal_processes(SIGKILL);
  kill_at_ns_ = 0;
}

bool RunningJob::any_alive() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const Process& process) { return process.alive; });
}

}  // namespace armature::command
