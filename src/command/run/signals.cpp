#include "command/run/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fail.hpp"

namespace armature::command {
namespace {

constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};

}  // namespace

Signals::Signals() {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  for (const int number : passed_on)
    if (!is_ignored(number)) sigaddset(&mask, number);
  sigprocmask(SIG_BLOCK, &mask, &old_mask_);
  // A reader of our output that goes away must not take the job's last report with it.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &old_pipe_);
  // SIGCHLD must not be ignored: else nobody would hear how children ended.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &by_default, &old_child_);

  fd_ = base::FileDescriptor(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) base::fail(Errc::start, "signalfd failed: " + base::system_text(errno));
}

Signals::~Signals() { restore(); }

std::optional<Signals::Arrived> Signals::next() const {
  signalfd_siginfo info{};
  if (read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return Arrived{static_cast<int>(info.ssi_signo),
                 is_by_terminal(static_cast<int>(info.ssi_signo), info.ssi_code)};
}

void Signals::stop() const {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);  // it arrives here
  sigprocmask(SIG_BLOCK, &stop, nullptr);
}

void Signals::restore() const {
  sigaction(SIGCHLD, &old_child_, nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

bool is_by_terminal(int number, int code) {
  return code == SI_KERNEL && (number == SIGINT || number == SIGQUIT || number == SIGTSTP);
}

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == SIG_IGN;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return "SIG" + (name != nullptr ? std::string(name) : std::to_string(number));
}

}  // namespace armature::command
