#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>

#include <fmt/format.h>

#include "bootstrap/launcher/console.hpp"
#include "bootstrap/launcher/running_job.hpp"
#include "bootstrap/launcher/stack.hpp"
#include "topology/cgroup.hpp"

// Only the launcher declares a rank dead, and it prints the rank's message before it tells anybody:
// so what comes first on the screen is the cause, whatever other ranks then say.

namespace armature::bootstrap {
namespace {

using space::Life;

constexpr int symbols_ms_max = 400;  // of the second within which a job with a dead rank ends
constexpr int further_deaths_max = 4;

/// Everybody looks up: a rank may sleep, and wait for the one that has died.
void ring_all(const space::Control& control) {
  for (int rank = 0; rank < static_cast<int>(control.header().ranks); ++rank) {
    std::atomic<std::uint32_t>& bell = control.slot(rank).rung;
    bell.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
}

}  // namespace

std::string RunningJob::name_of(int rank) const {
  const int pid = control_.slot(rank).pid.load(std::memory_order_relaxed);
  return fmt::format("rank {} (pid {}, {})", rank, pid, options_.command.front());
}

void RunningJob::report(int rank, const Ending& ending, const std::string& stack) {
  labels_.pass_on();  // what the rank itself has written stands first
  const std::string line = fmt::format("{} {}", name_of(rank), ending.how);
  if (!ending_) {
    say_headline(line, stack);
  } else if (options_.verbose || ++further_deaths_ <= further_deaths_max) {
    say(line);
  } else if (further_deaths_ == further_deaths_max + 1) {
    say("more ranks have died (--verbose names them all)");
  }
}

void RunningJob::lose(int rank, const Ending& ending) {
  if (std::exchange(ranks_[static_cast<std::size_t>(rank)].lost, true)) return;
  if (!failure_) failure_ = ending.status;
  // Life first: who sees the number of deaths grow looks for the dead.
  control_.slot(rank).life.store(Life::dead, std::memory_order_release);
  control_.header().deaths.fetch_add(1, std::memory_order_release);
  ring_all(control_);
  if (options_.on_death == space::OnDeath::end_job) end_job();
}

void RunningJob::read_last_words() {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    space::RankSlot& slot = control_.slot(rank);
    if (ranks_[static_cast<std::size_t>(rank)].lost) continue;
    const auto words = read_words(slot.last_words);
    if (!words) continue;
    const Ending ending = ending_by_words(*words, control_);
    const std::string stack =
        ending_
            ? ""
            : text(without_machinery(symbolise(slot.pid.load(), words->frames, symbols_ms_max)));
    report(rank, ending, stack);
    slot.last_words.taken.store(1, std::memory_order_release);
    lose(rank, ending);
  }
}

void RunningJob::reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    const auto rank = std::find_if(ranks_.begin(), ranks_.end(),
                                   [&](const RankProcess& r) { return r.alive && r.pid == pid; });
    if (rank == ranks_.end()) continue;  // an orphan of a rank
    rank->alive = false;
    has_exited(static_cast<int>(rank - ranks_.begin()), status);
  }
}

void RunningJob::has_exited(int number, int wait_status) {
  RankProcess& rank = ranks_[static_cast<std::size_t>(number)];
  if (rank.lost) return;  // its last words have been reported
  const space::RankSlot& slot = control_.slot(number);
  const Life life = slot.life.load(std::memory_order_acquire);
  Ending ending =
      ending_by_status(wait_status, life, topology::cgroup_limits().oom_kills > oom_kills_before_);
  // It may have spoken since we looked, and not have waited for us.
  if (const auto words = read_words(slot.last_words)) ending = ending_by_words(*words, control_);
  if (ending.status == 0) {
    rank.never_joined = life == Life::starting;
    return;
  }

  const int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if (ending_) {
    rank.lost = true;  // we have told it to go
  } else if (signal != 0 && signal == passed_on_) {
    say(fmt::format("ended by {}, which was passed on to the ranks", signal_name(signal)));
    lose(number, ending);
  } else {
    report(number, ending, "");
    if (ending.in_order) {
      if (!failure_) failure_ = ending.status;
    } else {
      lose(number, ending);
    }
  }
}

void RunningJob::refuse_those_who_never_joined() {
  if (ending_) return;
  int joined = -1, never = -1;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const RankProcess& process = ranks_[static_cast<std::size_t>(rank)];
    if (process.never_joined && !process.lost) {
      never = rank;
    } else if (control_.slot(rank).life.load(std::memory_order_relaxed) != Life::starting &&
               !process.lost) {
      joined = rank;
    }
  }
  if (joined < 0 || never < 0) return;
  const Ending ending{
      1, false,
      fmt::format("exited without ever joining the job, which rank {} has joined and cannot do "
                  "without it: every rank must call armature::run",
                  joined)};
  report(never, ending, "");
  lose(never, ending);
}

}  // namespace armature::bootstrap
