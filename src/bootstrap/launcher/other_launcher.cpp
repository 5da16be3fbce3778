#include "bootstrap/launcher/other_launcher.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "bootstrap/launcher/hand_over.hpp"

namespace armature::bootstrap {
namespace {

constexpr std::uint64_t answer_ns_max = 15'000'000'000, end_ns_max = 2'000'000'000;
constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t other = 0;  // its pid
volatile std::sig_atomic_t is_to_end = 0;

void pass_on(int signal, siginfo_t* from, void* /*context*/) {
  if (signal != SIGUSR1 && signal != SIGUSR2) is_to_end = 1;
  // What the terminal sends goes to the whole group of processes.
  if (from->si_code != SI_KERNEL && other > 0) kill(other, signal);
}

pid_t start(const LaunchOptions& options, bool is_quiet) {
  const pid_t pid = fork();
  if (pid < 0)
    base::fail(Errc::start, std::string("no further process: ") + base::system_text(errno));
  if (pid > 0) return pid;
  if (is_quiet) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, fd);
  }
  try {
    hand_over(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  _exit(1);
}

/// False when it goes on for longer.
bool ends_within(pid_t pid, std::uint64_t time_ns, int& wait_status) {
  const std::uint64_t end_ns = base::now_ns() + time_ns;
  while (waitpid(pid, &wait_status, WNOHANG) != pid) {
    if (base::now_ns() > end_ns) return false;
    constexpr timespec nap{0, 10'000'000};
    nanosleep(&nap, nullptr);
  }
  return true;
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace

Outcome await_other(const LaunchOptions& options) {
  struct sigaction action {
  }, before[std::size(passed_on)];
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  other = 0;
  for (std::size_t i = 0; i < std::size(passed_on); ++i)
    sigaction(passed_on[i], &action, &before[i]);
  const pid_t pid = start(options, false);
  other = pid;
  if (is_to_end != 0) kill(pid, SIGTERM);  // since before it was known
  int wait_status = 0;
  while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  other = 0;
  for (std::size_t i = 0; i < std::size(passed_on); ++i)
    sigaction(passed_on[i], &before[i], nullptr);
  const int status = status_of(wait_status);
  const bool was_killed =
      status > 128 || (status != 0 && !std::ranges::all_of(options.hosts, answers));
  return {status, was_killed && is_to_end == 0};
}

bool answers(const std::string& host) {
  LaunchOptions question;
  question.ranks = 1;
  question.hosts = {host};
  question.command = {"true"};
  const pid_t pid = start(question, true);
  int wait_status = 0;
  if (ends_within(pid, answer_ns_max, wait_status)) return status_of(wait_status) == 0;
  kill(pid, SIGTERM);
  if (!ends_within(pid, end_ns_max, wait_status)) {
    kill(pid, SIGKILL);
    waitpid(pid, &wait_status, 0);
  }
  return false;
}

}  // namespace armature::bootstrap
