// `mpirun ... armature outlive ./prog`: the job outlives this process of it.
//
// A job may go on without its dead, but launchers end it. hydra does so as soon as the dead one's
// connection closes, with its option against that all the same. Open MPI 4 goes on with an option.
// Then, when the dead one had neighbours on a node other than mpirun's, it never returns: its
// daemon there waits to count a process that it has counted out. So the launcher does not learn of
// the death: it has started this command, which stays, and says the farewell in the place of who
// cannot any more. Rejected: an early farewell of the ranks themselves. They could not ask for the
// end of the job any more, and launchers that look at exit statuses would see the death
// nevertheless.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/pmi1.hpp"
#include "bootstrap/pmix.hpp"
#include "bootstrap/tell_joined.hpp"
#include "command/commands.hpp"
#include "command/run/signals.hpp"

namespace armature::command {
namespace {

using base::FileDescriptor;

constexpr int status_not_executable = 127;
constexpr const char* footer = R"(
Before the program, under a launcher of another kind than armature run. The job goes on when ranks die, until the others
have left it; the launcher does not learn of deaths and reports 0 for them.

Example:
  mpirun -n 4 armature outlive ./prog)";

std::vector<std::string>& program() {
  static std::vector<std::string> words;
  return words;
}

FileDescriptor open_process(pid_t pid) {
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

/// The program, with the signals as this command was given them, and with the one file that is its
/// alone. It does not outlive the command.
[[noreturn]] void become_program(pid_t keeper, const sigset_t& signals, int tells) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(status_not_executable);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  fcntl(tells, F_SETFD, 0);
  std::vector<char*> arguments;
  for (std::string& word : program()) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  fmt::print(stderr, "armature outlive: {} cannot be run: {}\n", arguments[0],
             base::system_text(errno));
  _exit(status_not_executable);
}

/// How it ended. When the launcher ends first, so does the program.
int wait_for(pid_t child, const FileDescriptor& launcher) {
  const FileDescriptor ended = open_process(child);
  pollfd polled[] = {{ended.get(), POLLIN, 0}, {launcher.get(), POLLIN, 0}};
  while (ended && launcher && polled[0].revents == 0) {
    if (poll(polled, 2, -1) < 0 && errno != EINTR) break;
    if (polled[1].revents == 0) continue;
    kill(child, SIGKILL);
    break;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

/// The last word of the program; 0 where it has not joined the job.
char last_word(const FileDescriptor& told) {
  pollfd polled{told.get(), POLLIN, 0};
  char last = 0;
  for (char word = 0; poll(&polled, 1, 0) > 0 && read(told.get(), &word, 1) == 1;) last = word;
  return last;
}

/// Whether the job goes on without it. The program's status when it has left the job is its own
/// word. But a program that is killed then is dead like others, and the launcher would not wait for
/// those that are about to leave.
bool is_outlived(int status, char word) {
  // Ranks that roll back would do again what has ended their process by itself.
  const char* const on_death = std::getenv("ARMATURE_ON_DEATH");
  if (on_death != nullptr && std::string_view(on_death) == "recover")
    return word != 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return word != 0 &&
         (WIFSIGNALED(status) || (WEXITSTATUS(status) != 0 && word == bootstrap::word_joined));
}

/// A launcher signals both, as they are of one process group. Here the signal waits.
bool comes_from_launcher(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

/// Ends as the program would have, had it left its job: the launcher takes a process for failed
/// that ends without. A launcher that does not answer any more ends the job.
void say_farewell_for_it() {
  constexpr unsigned patience_s = 20;
  alarm(patience_s);
  try {
    std::string why_not;
    if (bootstrap::open_pmix(why_not)) return;  // and is closed
    bootstrap::say_pmi1_farewell();
  } catch (const std::exception&) {  // the launcher does not answer any more
  }
}

/// The launcher is to see what has happened.
[[noreturn]] void end_likewise(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  signal(WTERMSIG(status), SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  raise(WTERMSIG(status));
  _exit(status_not_executable);
}

[[noreturn]] void keep() {
  setenv("ARMATURE_ON_DEATH", "continue", 0);
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0)
    base::fail(Errc::start, fmt::format("no pipe: {}", base::system_text(errno)));
  const FileDescriptor told(ends[0]);
  FileDescriptor tells(ends[1]);
  setenv(bootstrap::joined_variable, std::to_string(tells.get()).c_str(), 1);
  setenv(bootstrap::starter_variable, std::to_string(getppid()).c_str(), 1);
  const FileDescriptor launcher = open_process(getppid());
  const pid_t self = getpid();
  // The program decides what comes of signals. SIGALRM is this command's own.
  sigset_t signals, before;
  sigfillset(&signals);
  sigdelset(&signals, SIGALRM);
  sigprocmask(SIG_SETMASK, &signals, &before);
  const pid_t child = fork();
  if (child < 0) base::fail(Errc::start, fmt::format("no process: {}", base::system_text(errno)));
  if (child == 0) become_program(self, before, tells.get());
  tells.reset();
  const int status = wait_for(child, launcher);
  const bool is_told_to_end = WIFSIGNALED(status) && comes_from_launcher(WTERMSIG(status));
  if (is_told_to_end || !is_outlived(status, last_word(told))) end_likewise(status);
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                                            signal_name(WTERMSIG(status)))
                              : fmt::format("ended with status {}", WEXITSTATUS(status));
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  fmt::print(stderr, "armature: process {} on {} {}; the job may go on without it\n", child, host,
             how);
  say_farewell_for_it();
  _exit(0);
}

}  // namespace

void add_outlive(CLI::App& app) {
  auto* command =
      app.add_subcommand("outlive", "Let a job of another launcher go on without its dead");
  command->add_option("PROGRAM", "What to run, with its arguments behind it")->type_name("");
  command->footer(footer);
  command->callback([] {
    if (program().empty()) throw CLI::ValidationError("no program", "what shall be run?");
    if (std::getenv(bootstrap::rank_variable) != nullptr)
      base::fail(Errc::misuse,
                 "armature outlive is for other launchers: armature run has --on-death continue");
    keep();
  });
}

void split_off_outliving(std::vector<std::string>& words) {
  std::size_t at = 1;
  if (at < words.size() && words[at] == "--") ++at;
  if (at >= words.size() || (at == 1 && words[at][0] == '-')) return;  // --help
  program().assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  words.resize(1);
}

}  // namespace armature::command
