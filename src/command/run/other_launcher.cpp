#include "command/run/other_launcher.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "command/run/hand_over.hpp"
#include "command/run/own_traces.hpp"
#include "command/run/signals.hpp"

namespace armature::command {
namespace {

constexpr std::uint64_t answer_ns_max = 15'000'000'000, end_ns_max = 2'000'000'000;
constexpr int killed = 128 + SIGKILL;

volatile std::sig_atomic_t other = 0;  // its pid
volatile std::sig_atomic_t is_to_end = 0;

void pass_on(int signal, siginfo_t* from, void* /*context*/) {
  if (signal != SIGUSR1 && signal != SIGUSR2) is_to_end = 1;
  // The keys of a terminal send their signals to the whole group of processes.
  if (!is_by_terminal(signal, from->si_code) && other > 0) kill(other, signal);
}

/// Passes signals to this process on to the other launcher while it lives, except those that it
/// ignored before. They wait until that is known, and it has what this process had before.
class PassingOn {
 public:
  PassingOn() {
    sigemptyset(&all_);
    for (const int signal : signals) sigaddset(&all_, signal);
    sigprocmask(SIG_BLOCK, &all_, &mask_);
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < std::size(signals); ++i) {
      sigaction(signals[i], nullptr, &before_[i]);
      if (!is_ignored(signals[i])) sigaction(signals[i], &action, nullptr);
    }
  }
  PassingOn(const PassingOn&) = delete;
  PassingOn& operator=(const PassingOn&) = delete;
  ~PassingOn() {
    other = 0;
    give_back();
  }

  void to(pid_t pid) const {
    other = pid;
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  void give_back() const {
    for (std::size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &before_[i], nullptr);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
  struct sigaction before_[std::size(signals)];
  sigset_t all_, mask_;
};

/// The command's output goes nowhere when it is not wanted. It does not outlive this process.
enum class Writes { where_we_do, nowhere };

pid_t start(const OtherCommand& command, Writes writes, const PassingOn* passing_on) {
  signal(SIGCHLD, SIG_DFL);  // else nobody could wait for it
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0)
    base::fail(Errc::start, std::string("no further process: ") + base::system_text(errno));
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(killed);
  if (passing_on != nullptr) passing_on->give_back();
  if (writes == Writes::nowhere) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, fd);
  }
  try {
    become(command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  _exit(1);
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/// nullopt when it goes on for longer.
std::optional<int> status_within(pid_t pid, std::uint64_t time_ns) {
  const std::uint64_t end_ns = base::now_ns() + time_ns;
  for (int wait_status = 0;;) {
    if (waitpid(pid, &wait_status, WNOHANG) == pid) return status_of(wait_status);
    if (base::now_ns() > end_ns) return std::nullopt;
    constexpr timespec interval{0, 10'000'000};
    nanosleep(&interval, nullptr);
  }
}

/// Knows the statuses that the launcher has for a process that got SIGKILL. That of MPICH says in
/// one way that some process was killed, on another node, or has crashed.
bool tells_of_a_kill(ForeignLauncher launcher, int status) {
  return status == killed ||
         (launcher == ForeignLauncher::hydra && (status == SIGKILL || status == 255));
}

}  // namespace

Outcome await_other(const LaunchOptions& options) {
  const OwnTraces traces(options.trace, processes_of(options));
  const OtherCommand command = command_of_other(options);
  int status = 0;
  is_to_end = 0;
  {
    const PassingOn passing_on;
    const pid_t pid = start(command, Writes::where_we_do, &passing_on);
    passing_on.to(pid);
    int wait_status = 0;
    while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
    status = status_of(wait_status);
  }
  if (!traces.write() && status == 0) status = 1;
  if (is_to_end != 0) return {.status = status, .was_ended = true};
  if (status == 0) return {.status = status};
  return {.status = status,
          .was_killed = tells_of_a_kill(command.launcher, status) ||
                        (options.on_death == space::OnDeath::recover &&
                         !std::ranges::all_of(options.hosts, answers))};
}

bool answers(const std::string& host) {
  LaunchOptions question;
  question.ranks = 1;
  question.hosts = {host};
  question.command = {"true"};
  const pid_t pid = start(command_of_other(question), Writes::nowhere, nullptr);
  if (const auto status = status_within(pid, answer_ns_max)) return *status == 0;
  kill(pid, SIGTERM);
  if (!status_within(pid, end_ns_max)) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  return false;
}

}  // namespace armature::command
