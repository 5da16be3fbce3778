#include "command/run/deaths.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "command/executable/stack.hpp"
#include "command/run/console.hpp"
#include "command/run/places_in_text.hpp"
#include "command/run/signals.hpp"
#include "engines/sim/turns.hpp"
#include "topology/cgroup.hpp"
#include "wait/processes.hpp"

namespace armature::command {
namespace {

using space::Life;

constexpr int symbols_ms_max = 400;  // of the second within which a job with a dead rank ends

/// Processes that act in turn wait until it is known what becomes of the job; where it ends, for
/// their end.
void tell_simulation(const std::vector<space::Control>& nodes, int dead) {
  for (const space::Control& node : nodes)
    if (node.header().acts_in_turn())
      node.process(dead).joined.store(transport::sim::seen_dead, std::memory_order_release);
}

}  // namespace

Deaths::Deaths(const JobView& job, LaunchedProcesses& processes, Shutdown& shutdown,
               DeathReports& reports, Recovery& recovery, Resizing& resizing, Coming& coming)
    : job_(job),
      processes_(processes),
      shutdown_(shutdown),
      reports_(reports),
      recovery_(recovery),
      resizing_(resizing),
      coming_(coming),
      oom_kills_before_(topology::cgroup_limits().oom_kills) {}

void Deaths::look() {
  read_crash_reports();
  reap();
  refuse_those_who_never_joined();
  kill_those_given_up();
}

void Deaths::read_crash_reports() {
  for (int rank = 0; rank < job_.ranks(); ++rank) {
    space::RankSlot& slot = job_.control().slot(rank);
    LaunchedProcess& process = processes_.at(job_.process_of(rank));
    if (process.lost) continue;
    auto words = read_words(job_.control(), rank);
    if (!words) continue;
    words->text = with_places(words->text, job_.control());
    const Ending ending = ending_by_words(*words, job_.control(), slot.node);
    reports_.report(processes_.name_of(rank), ending,
                    shutdown_.is_ending() ? "" : stack_of(slot.pid.load(), *words));
    job_.control().crash_report(rank).taken.store(1, std::memory_order_release);
    reports_.lose(process, ending);
  }
}

/// In full for --verbose.
std::string Deaths::stack_of(int pid, const Words& words) const {
  std::vector<Frame> frames = without_machinery(symbolise(pid, words.frames, symbols_ms_max));
  return text(job_.options().verbose ? std::move(frames)
                                     : with_own_folded(std::move(frames), words.signal != 0));
}

void Deaths::reap() {
  std::vector<pid_t> ours;
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    const auto process = std::ranges::find_if(
        processes_.all(), [&](const LaunchedProcess& p) { return p.alive && p.pid == pid; });
    if (process == processes_.all().end()) continue;  // an orphan of a rank
    process->alive = false;
    process->wait_status = status;
    // Nothing that has joined goes on without it: for the others it is gone.
    if (const pid_t behind = processes_.joined_behind(*process, ours); behind > 0)
      kill(behind, job_.options().on_death == space::OnDeath::end_job ? SIGTERM : SIGKILL);
    has_exited(*process);
    if (!shutdown_.is_ending()) tell_simulation(job_.nodes(), processes_.number_of(*process));
  }
}

Life Deaths::life_at_exit(const LaunchedProcess& process) const {
  const Life life = processes_.life_of(process);
  // The process may have ended while it connected to others, which wait for it.
  const bool has_ended_amid = life == Life::starting && WIFEXITED(process.wait_status) &&
                              WEXITSTATUS(process.wait_status) == 0 &&
                              processes_.has_begun_to_join(process);
  return has_ended_amid ? Life::running : life;
}

void Deaths::has_exited(LaunchedProcess& process) {
  if (process.lost) return;        // its crash report has been told
  if (job_.is_to_go_on()) return;  // its ranks are written, and will be in another one
  // All may have rolled back and have ended since the last look.
  if (job_.recovers_on_nodes()) processes_.follow_ranks();
  const Life life = life_at_exit(process);
  std::string who = processes_.name_of(process);
  Ending ending = ending_by_status(process.wait_status, life,
                                   topology::cgroup_limits().oom_kills > oom_kills_before_);
  bool has_spoken = false;
  // A rank may have spoken since we looked, and not have waited for us.
  for (int rank = 0; rank < job_.ranks(); ++rank) {
    if (job_.process_of(rank) != processes_.number_of(process)) continue;
    auto words = read_words(job_.control(), rank);
    if (!words) continue;
    words->text = with_places(words->text, job_.control());
    ending = ending_by_words(*words, job_.control(), job_.control().slot(rank).node);
    who = processes_.name_of(rank);
    has_spoken = true;
    break;
  }
  if (!shutdown_.is_ending() && coming_.do_without(process, ending)) return;
  if (ending.status == 0 && !has_spoken) {
    process.never_joined = life == Life::starting;
    return;
  }
  if (!shutdown_.is_ending() && resizing_.is_dispensable(process))
    return resizing_.do_without(process, ending);
  judge(process, who, ending, has_spoken);
}

/// The job needs it.
void Deaths::judge(LaunchedProcess& process, const std::string& who, const Ending& ending,
                   bool has_spoken) {
  const int signal = WIFSIGNALED(process.wait_status) ? WTERMSIG(process.wait_status) : 0;
  const int passed_on = shutdown_.passed_on();
  // A script says so of the rank that it has started.
  const bool is_passed_on = passed_on != 0 && ending.status == 128 + passed_on;
  // Others may have died of its death already, and said so.
  if (signal == SIGKILL && !shutdown_.has_killed()) shutdown_.note_kill();

  if (signal != 0 && !has_spoken && recovery_.have_gone_back_without(process)) {
    processes_.follow_ranks_anew();  // slots of its node may have been followed since
    return;
  }
  if (shutdown_.is_ending()) {
    process.lost = true;  // we have told it to go
  } else if (is_passed_on) {
    say(fmt::format("ended by {}, which was passed on to the ranks", signal_name(passed_on)));
    reports_.lose(process, ending);
  } else if (job_.options().on_death == space::OnDeath::recover && signal != 0 && !has_spoken &&
             !ending.in_order) {
    recovery_.recover(process, who, ending);
  } else {
    reports_.report(who, ending, "");
    if (ending.in_order)
      shutdown_.fail(ending.status);
    else
      reports_.lose(process, ending);
  }
}

void Deaths::refuse_those_who_never_joined() {
  if (shutdown_.is_ending() ||
      std::ranges::none_of(processes_.all(), &LaunchedProcess::never_joined))
    return;
  int joined = -1;
  LaunchedProcess* never = nullptr;
  for (LaunchedProcess& process : processes_.all()) {
    if (process.lost) continue;
    if (process.never_joined) {
      never = &process;
    } else if (processes_.has_begun_to_join(process)) {
      joined = process.ranks.first;
    }
  }
  if (joined < 0 || never == nullptr) return;
  const Ending ending{
      1, false,
      fmt::format("exited without ever joining the job, which rank {} has joined and cannot do "
                  "without it: every rank must call armature::run",
                  joined)};
  reports_.report(processes_.name_of(*never), ending, "");
  reports_.lose(*never, ending);
}

/// Whether some other node takes it for dead, while it is neither that nor through.
bool Deaths::is_given_up(const LaunchedProcess& process) const {
  if (!process.alive || process.lost || processes_.life_of(process) == Life::finished) return false;
  const int number = processes_.number_of(process);
  if (job_.recovers_on_nodes())
    return std::ranges::any_of(processes_.living_nodes(), [&](int node) {
      return wait::is_lost(job_.node(node).process(number));
    });
  int rank = 0;  // of its ranks
  while (rank < job_.ranks() && job_.process_of(rank) != number) ++rank;
  if (rank == job_.ranks()) return false;
  for (int node = 0; node < static_cast<int>(job_.nodes().size()); ++node)
    if (node != process.node &&
        job_.node(node).slot(rank).life.load(std::memory_order_acquire) == Life::dead)
      return true;
  return false;
}

/// Nodes hear of a death over the network, often before we do. Where a process is still there
/// after a while, it hangs; for the others it is dead, and so it must not come back.
void Deaths::kill_those_given_up() {
  constexpr std::uint64_t grace_ns = 1'000'000'000;
  if (shutdown_.is_ending() || job_.nodes().size() < 2) return;
  for (LaunchedProcess& process : processes_.all()) {
    if (!is_given_up(process)) continue;
    if (process.given_up_ns == 0) process.given_up_ns = base::now_ns();
    if (base::now_ns() - process.given_up_ns < grace_ns) continue;
    const Ending ending{128 + SIGKILL, false,
                        "cannot be reached by the other nodes any more (its links broke, or it was "
                        "silent for longer than --net-heartbeat), and is killed"};
    kill(process.pid, SIGKILL);
    shutdown_.note_kill();
    if (job_.recovers_on_nodes()) {
      recovery_.recover(process, processes_.name_of(process), ending);
      continue;
    }
    reports_.report(processes_.name_of(process), ending, "");
    reports_.lose(process, ending);
  }
}

void Deaths::have_killed(int left) {
  bool has_joined = false, is_amid = false;
  for (int rank = 0; rank < job_.ranks(); ++rank) {
    const Life life = job_.control().slot(rank).life.load(std::memory_order_acquire);
    has_joined = has_joined || life != Life::starting;
    is_amid = is_amid || (life != Life::starting && life != Life::finished);
  }
  const bool is_early = !shutdown_.failure() && !shutdown_.is_ending() &&
                        shutdown_.passed_on() == 0 && !job_.is_to_go_on();
  if (is_early && (is_amid || !has_joined)) {
    shutdown_.fail(1);
    say_headline(fmt::format(
        "{} processes still ran when what had started them ended, and were killed (a script must "
        "wait for what it starts)",
        left));
  } else if (job_.options().verbose) {
    say(fmt::format("{} processes that ranks had left were killed", left));
  }
}

}  // namespace armature::command
