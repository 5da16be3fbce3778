#include "bench/process.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "command/run/signals.hpp"

namespace armature::bench {

namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::system_error(error, std::generic_category(), "bench: " + what);
}

/// The signals that tell this program to end. From the first process on they are blocked, and read
/// here; those that it was started to ignore stay so.
class Endings {
 public:
  static Endings& get() {
    static Endings all;
    return all;
  }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const sigset_t& before() const { return before_; }
  /// The last one that has come.
  [[nodiscard]] int last() const { return last_; }
  /// Passes it on to that process.
  void pass_on(pid_t pid) {
    // A terminal tells all of its processes.
    if (read_one() && !by_terminal_) kill(pid, last_);
  }
  /// Called before a process is started: it would not have heard of one that has come already.
  void expect_none() {
    if (read_one()) throw Interrupted{last_};
  }

 private:
  bool read_one() {
    signalfd_siginfo signal{};
    if (read(fd_.get(), &signal, sizeof signal) != sizeof signal) return false;
    last_ = static_cast<int>(signal.ssi_signo);
    by_terminal_ = signal.ssi_code == SI_KERNEL;
    return true;
  }

  Endings() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      if (!command::is_ignored(signal)) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &before_);
    fd_ = base::FileDescriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) fail("signalfd", errno);
  }

  sigset_t before_{};
  base::FileDescriptor fd_;
  int last_ = 0;
  bool by_terminal_ = false;
};

}  // namespace

Process::Process(std::vector<std::string> command, int output, std::string variable) {
  Endings::get().expect_none();
  std::vector<char*> argv, environment;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
  if (!variable.empty()) environment.push_back(variable.data());
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &Endings::get().before());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error =
      posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    pid_ = 0;
    fail("cannot start " + command[0], error);
  }
  ended_ = base::FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), ended_(std::move(other.ended_)) {}

Process::~Process() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

int Process::await(int input, const std::function<void()>& on_input) {
  Endings& endings = Endings::get();
  pollfd events[] = {{.fd = ended_.get(), .events = POLLIN, .revents = 0},
                     {.fd = endings.fd(), .events = POLLIN, .revents = 0},
                     {.fd = input, .events = POLLIN, .revents = 0}};
  while (events[0].revents == 0) {
    if (poll(events, std::size(events), -1) < 0 && errno != EINTR) fail("poll", errno);
    if (events[1].revents != 0) endings.pass_on(pid_);
    if ((events[2].revents & POLLIN) != 0)
      on_input();
    else if (events[2].revents != 0)
      events[2].fd = -1;  // nothing will come any more
  }
  if (on_input) on_input();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) fail("waitpid", errno);
  pid_ = 0;
  return status;
}

void Process::expect_success(int input, const std::function<void()>& on_input) {
  const int status = await(input, on_input);
  if (const int signal = Endings::get().last(); signal != 0) throw Interrupted{signal};
  if (WIFSIGNALED(status))
    throw std::runtime_error("bench: the job died of signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw std::runtime_error("bench: the job failed with status " +
                             std::to_string(WEXITSTATUS(status)));
}

}  // namespace armature::bench
