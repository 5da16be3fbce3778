#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "base/process_stat.hpp"
#include "bootstrap/board.hpp"
#include "command/executable/stack.hpp"
#include "command/run/console.hpp"
#include "command/run/running_job.hpp"
#include "topology/cgroup.hpp"
#include "wait/processes.hpp"

// Only the launcher declares a rank dead, and it prints the rank's message before it tells anybody:
// so what comes first on the screen is the cause, whatever other ranks then say.

namespace armature::command {
namespace {

using space::Life;

constexpr int symbols_ms_max = 400;  // of the second within which a job with a dead rank ends
constexpr int further_deaths_max = 4;

/// Everybody on that node looks up: a rank may sleep, and wait for the one that has died.
void ring_all(const space::Control& control) {
  if (control.header().ranks_are_virtual != 0) return wait::wake_processes(control);
  for (int rank = 0; rank < static_cast<int>(control.header().ranks); ++rank) {
    std::atomic<std::uint32_t>& bell = control.slot(rank).rung;
    bell.fetch_add(1, std::memory_order_release);
    base::futex_wake(bell);
  }
}

}  // namespace

std::string RunningJob::name_of(int rank) const {
  const int pid = control_.slot(rank).pid.load(std::memory_order_relaxed);
  return fmt::format("rank {} (pid {}, {})", rank, pid, options_.command.front());
}

std::string RunningJob::name_of(const Process& process) const {
  if (process.ranks.count == 0 || control_.header().halt.regroup.load() != 0 || followed_ != 0)
    return fmt::format("process {} (pid {}, {})", &process - processes_.data(), process.pid,
                       options_.command.front());
  const int pid = control_.slot(process.ranks.first).pid.load(std::memory_order_relaxed);
  return process.ranks.count == 1
             ? name_of(process.ranks.first)
             : fmt::format("the process of ranks {} (pid {}, {})", process.ranks.numbers(), pid,
                           options_.command.front());
}

/// Where it is now.
int RunningJob::process_of(int rank) const {
  if (control_.header().is_one_process()) return 0;
  return control_.slot(rank).process.load(std::memory_order_acquire);
}

void RunningJob::report(const std::string& who, const Ending& ending, const std::string& stack) {
  labels_.pass_on();  // what the rank itself has written stands first
  const std::string line = fmt::format("{} {}", who, ending.how);
  if (!ending_) {
    first_death_ = ending;
    say_headline(line, stack);
  } else if (!options_.verbose && first_death_ && are_alike(*first_death_, ending)) {
    ++deaths_alike_;
  } else if (options_.verbose || ++further_deaths_ <= further_deaths_max) {
    say(line);
  } else if (further_deaths_ == further_deaths_max + 1) {
    say("more ranks have died (--verbose names them all)");
  }
}

void RunningJob::report_deaths_alike() {
  if (deaths_alike_ == 0) return;
  say(fmt::format("{} other rank{} ended with the same (--verbose names them all)", deaths_alike_,
                  deaths_alike_ == 1 ? "" : "s"));
  write_the_rest();
}

/// With a process all its ranks are dead, whichever of them has killed it. Its node is told; the
/// others hear of it over the network.
void RunningJob::lose(Process& process, const Ending& ending) {
  if (std::exchange(process.lost, true)) return;
  if (!failure_) failure_ = ending.status;
  follow_ranks();
  // Life first: who sees the number of deaths grow looks for the dead.
  // Virtual ranks may have moved: where they are now counts.
  const auto number = static_cast<int>(&process - processes_.data());
  std::uint32_t lost = 0;
  for (int rank = 0; rank < static_cast<int>(control_.header().ranks); ++rank) {
    space::RankSlot& slot = control_.slot(rank);
    if (process_of(rank) != number) continue;
    if (control_.header().ranks_are_virtual != 0 &&
        slot.life.load(std::memory_order_acquire) == Life::finished)
      continue;
    slot.life.store(Life::dead, std::memory_order_release);
    ++lost;
  }
  const space::Control& node = of_nodes_[static_cast<std::size_t>(process.node)];
  space::Reservations(node).give_up(number);
  node.header().deaths.fetch_add(lost, std::memory_order_release);
  ring_all(node);
  bootstrap::Board::lose(board_, number);
  if (options_.on_death != space::OnDeath::go_on) end_job();
}

void RunningJob::read_last_words() {
  for (int rank = 0; rank < static_cast<int>(control_.header().ranks); ++rank) {
    space::RankSlot& slot = control_.slot(rank);
    Process& process = processes_[static_cast<std::size_t>(process_of(rank))];
    if (process.lost) continue;
    const auto words = read_words(control_, rank);
    if (!words) continue;
    const Ending ending = ending_by_words(*words, control_, slot.node);
    const std::string stack =
        ending_
            ? ""
            : text(without_machinery(symbolise(slot.pid.load(), words->frames, symbols_ms_max)));
    report(name_of(rank), ending, stack);
    control_.last_words(rank).taken.store(1, std::memory_order_release);
    lose(process, ending);
  }
}

/// The process that has joined, where a script or another program that we have started has started
/// it; 0 where there is none, or it has ended. `ours` are the job's, once that has been asked.
pid_t RunningJob::joined_behind(const Process& process, std::vector<pid_t>& ours) const {
  const auto number = static_cast<int>(&process - processes_.data());
  const auto ranks = static_cast<int>(control_.header().ranks);
  int rank = control_.header().ranks_are_virtual != 0 ? 0 : process.ranks.first;
  while (rank < ranks && process_of(rank) != number) ++rank;
  const pid_t pid = rank < ranks ? control_.slot(rank).pid.load(std::memory_order_relaxed) : 0;
  if (pid <= 0 || pid == process.pid) return 0;
  const auto stat = base::process_stat(pid);
  if (!stat || stat->state == 'Z') return 0;
  if (ours.empty()) ours = descendants_.of_the_job();
  const bool is_started_by_us = std::ranges::count(processes_, pid, &Process::pid) != 0;
  return !is_started_by_us && std::ranges::count(ours, pid) != 0 ? pid : 0;
}

void RunningJob::reap() {
  std::vector<pid_t> ours;
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    const auto process = std::find_if(processes_.begin(), processes_.end(),
                                      [&](const Process& p) { return p.alive && p.pid == pid; });
    if (process == processes_.end()) continue;  // an orphan of a rank
    process->alive = false;
    process->wait_status = status;
    // Nothing that has joined goes on without it: for the others it is gone.
    if (const pid_t behind = joined_behind(*process, ours); behind > 0)
      kill(behind, options_.on_death == space::OnDeath::end_job ? SIGTERM : SIGKILL);
    has_exited(*process);
  }
}

/// How far its ranks have come: the one that has left least in order counts. A process that all its
/// virtual ranks have left is of the job as long as there are ranks: some may come. So is, on one
/// node or where all may go back, that of ranks which have ended: the others wait for it.
Life RunningJob::life_of(const Process& process) const {
  const auto number = static_cast<int>(&process - processes_.data());
  bool all_starting = true, all_finished = true, is_over = true, has_any = false;
  for (int rank = 0; rank < static_cast<int>(control_.header().ranks); ++rank) {
    const space::RankSlot& slot = control_.slot(rank);
    const Life life = slot.life.load(std::memory_order_acquire);
    is_over = is_over && (life == Life::finished || life == Life::dead);
    if (process_of(rank) != number) continue;
    has_any = true;
    all_starting = all_starting && life == Life::starting;
    all_finished = all_finished && life == Life::finished;
  }
  // Whoever has ended may have to do it again.
  const bool all_stay =
      (of_nodes_.size() == 1 && !control_.header().is_one_process()) || recovers_on_nodes();
  const space::Control& node = of_nodes_[static_cast<std::size_t>(process.node)];
  const bool is_member =
      recovers_on_nodes() || node.process(number).belongs(node.header().halt.regrouped);
  if (control_.header().ranks_are_virtual != 0 && is_member &&
      (!has_any || (all_finished && all_stay)))
    return is_over ? Life::finished : Life::running;
  return all_finished ? Life::finished : all_starting ? Life::starting : Life::running;
}

/// Whether its program has called armature::run. While it connects to others no rank lives yet, but
/// their records of waits have been written to.
bool RunningJob::has_begun_to_join(const Process& process) const {
  const auto number = static_cast<int>(&process - processes_.data());
  for (int rank = 0; rank < static_cast<int>(control_.header().ranks); ++rank) {
    const space::RankSlot& slot = control_.slot(rank);
    if (process_of(rank) == number &&
        (slot.life.load(std::memory_order_acquire) != Life::starting ||
         slot.wait.sequence.load(std::memory_order_acquire) != 0))
      return true;
  }
  return false;
}

void RunningJob::has_exited(Process& process) {
  if (process.lost) return;   // its last words have been reported
  if (is_to_go_on()) return;  // its ranks are written, and will be in another one
  // All may have gone back and have ended since the last look.
  if (recovers_on_nodes()) follow_living_ranks();
  Life life = life_of(process);
  // It may have ended while it connected to others, which wait for it.
  if (life == Life::starting && WIFEXITED(process.wait_status) &&
      WEXITSTATUS(process.wait_status) == 0 && has_begun_to_join(process))
    life = Life::running;
  std::string who = name_of(process);
  Ending ending = ending_by_status(process.wait_status, life,
                                   topology::cgroup_limits().oom_kills > oom_kills_before_);
  bool has_spoken = false;
  // One may have spoken since we looked, and not have waited for us.
  for (int rank = 0; rank < static_cast<int>(control_.header().ranks); ++rank) {
    if (process_of(rank) != &process - processes_.data()) continue;
    const auto words = read_words(control_, rank);
    if (!words) continue;
    ending = ending_by_words(*words, control_, control_.slot(rank).node);
    who = name_of(rank);
    has_spoken = true;
    break;
  }
  if (ending.status == 0) {
    process.never_joined = life == Life::starting;
    return;
  }
  if (!ending_ && is_dispensable(process)) return do_without(process, ending);
  const int signal = WIFSIGNALED(process.wait_status) ? WTERMSIG(process.wait_status) : 0;
  // A script says so of the rank that it has started.
  const bool is_passed_on = passed_on_ != 0 && ending.status == 128 + passed_on_;
  // Others may have died of its death already, and said so.
  was_killed_ = was_killed_ || (signal == SIGKILL && !has_killed_);

  if (signal != 0 && !has_spoken && have_gone_back_without(process)) {
    followed_ = 0;  // slots of its node may have been followed since
    return;
  }
  if (ending_) {
    process.lost = true;  // we have told it to go
  } else if (is_passed_on) {
    say(fmt::format("ended by {}, which was passed on to the ranks", signal_name(passed_on_)));
    lose(process, ending);
  } else if (options_.on_death == space::OnDeath::recover && signal != 0 && !has_spoken &&
             !ending.in_order) {
    recover(process, who, ending);
  } else {
    report(who, ending, "");
    if (ending.in_order) {
      if (!failure_) failure_ = ending.status;
    } else {
      lose(process, ending);
    }
  }
}

void RunningJob::refuse_those_who_never_joined() {
  if (ending_ || std::ranges::none_of(processes_, &Process::never_joined)) return;
  int joined = -1;
  Process* never = nullptr;
  for (Process& process : processes_) {
    if (process.lost) continue;
    if (process.never_joined) {
      never = &process;
    } else if (has_begun_to_join(process)) {
      joined = process.ranks.first;
    }
  }
  if (joined < 0 || never == nullptr) return;
  const Ending ending{
      1, false,
      fmt::format("exited without ever joining the job, which rank {} has joined and cannot do "
                  "without it: every rank must call armature::run",
                  joined)};
  report(name_of(*never), ending, "");
  lose(*never, ending);
}

/// Whether some other node takes it for dead, while it is neither that nor through.
bool RunningJob::is_given_up(const Process& process) const {
  if (!process.alive || process.lost || life_of(process) == Life::finished) return false;
  const auto number = static_cast<int>(&process - processes_.data());
  if (recovers_on_nodes())
    return std::ranges::any_of(living_nodes(), [&](int node) {
      return wait::is_lost(of_nodes_[static_cast<std::size_t>(node)].process(number));
    });
  int rank = 0;  // of its ranks
  while (rank < static_cast<int>(control_.header().ranks) && process_of(rank) != number) ++rank;
  for (std::size_t node = 0; node < of_nodes_.size(); ++node)
    if (static_cast<int>(node) != process.node &&
        rank < static_cast<int>(control_.header().ranks) &&
        of_nodes_[node].slot(rank).life.load(std::memory_order_acquire) == Life::dead)
      return true;
  return false;
}

/// Nodes hear of a death over the network, often before we do. Where a process is still there
/// after a while, it hangs; for the others it is dead, and so it must not come back.
void RunningJob::kill_those_given_up() {
  constexpr std::uint64_t grace_ns = 1'000'000'000;
  if (ending_ || of_nodes_.size() < 2) return;
  for (Process& process : processes_) {
    if (!is_given_up(process)) continue;
    if (process.given_up_ns == 0) process.given_up_ns = base::now_ns();
    if (base::now_ns() - process.given_up_ns < grace_ns) continue;
    const Ending ending{128 + SIGKILL, false,
                        "cannot be reached by the other nodes any more (its links broke, or it was "
                        "silent for longer than --net-heartbeat), and is killed"};
    kill(process.pid, SIGKILL);
    was_killed_ = true;
    if (recovers_on_nodes()) {
      recover(process, name_of(process), ending);
      continue;
    }
    report(name_of(process), ending, "");
    lose(process, ending);
  }
}

/// Who leaves the work behind itself, as a script's last line with & does, has ended too early.
void RunningJob::have_killed(int left) {
  bool has_joined = false, is_amid = false;
  for (int rank = 0; rank < static_cast<int>(control_.header().ranks); ++rank) {
    const Life life = control_.slot(rank).life.load(std::memory_order_acquire);
    has_joined = has_joined || life != Life::starting;
    is_amid = is_amid || (life != Life::starting && life != Life::finished);
  }
  const bool is_early = !failure_ && !ending_ && passed_on_ == 0 && !is_to_go_on();
  if (is_early && (is_amid || !has_joined)) {
    failure_ = 1;
    say_headline(fmt::format(
        "{} processes still ran when what had started them ended, and were killed (a script must "
        "wait for what it starts)",
        left));
  } else if (options_.verbose) {
    say(fmt::format("{} processes that ranks had left were killed", left));
  }
}

}  // namespace armature::command
