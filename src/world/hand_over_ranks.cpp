#include "world/hand_over_ranks.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/own_process.hpp"
#include "base/runtime.hpp"
#include "bootstrap/environment.hpp"
#include "migration/addresses.hpp"

namespace armature::hosting {
namespace {

/// Made before a handler is installed. Children of fork, who have the handlers as well, do not act
/// for the process.
struct Leaving {
  const space::ControlHeader* job = nullptr;
  base::OwnProcess self;
  pid_t starter = 0;
  space::ProcessSlot* mine = nullptr;
  volatile std::sig_atomic_t is_asked = 0;  // before it could hand anything over
};
Leaving& leaving() { return base::state<Leaving>(); }

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// Handlers do only what is safe in one. The launcher means it; others may be anybody who wants the
// processor for something else.

void on_request_to_end(int signal, siginfo_t* info, void* /*context*/) {
  const Leaving& here = *base::Runtime::here().find<Leaving>();
  const space::ControlHeader* const job = here.job;
  const bool by_launcher =
      info->si_pid == here.starter || job->launcher.ends_all.load(std::memory_order_acquire) != 0;
  if (here.self.is_this() && !by_launcher &&
      job->alike.differ.load(std::memory_order_relaxed) == 0 &&
      here.mine->wants_to_leave.exchange(1, std::memory_order_acq_rel) == 0 &&
      (job->launcher.is_there == 0 || kill(job->launcher.pid, SIGCHLD) == 0))
    return;
  end_by(signal);
}

void on_early_request(int signal, siginfo_t* info, void* /*context*/) {
  Leaving& here = *base::Runtime::here().find<Leaving>();
  if (here.self.is_this() && info->si_pid != here.starter && here.is_asked == 0)
    here.is_asked = 1;
  else
    end_by(signal);
}

void take_requests_by(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESTART | SA_ONSTACK);
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, nullptr);
}

/// Whether nobody has a handler but, at most, this one.
bool is_ours(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction now {};
  return sigaction(SIGTERM, nullptr, &now) == 0 &&
         (now.sa_handler == SIG_DFL || now.sa_sigaction == handler);
}

/// Runs before main, so that nothing which the program starts inherits the block, and what the
/// program blocks itself stays so.
[[gnu::constructor]] void let_held_requests_through() {
  const char* const launcher = std::getenv(bootstrap::held_by_variable);
  if (launcher == nullptr) return;
  leaving().self.remember();
  leaving().starter = std::atoi(launcher);
  unsetenv(bootstrap::held_by_variable);
  if (is_ours(nullptr)) take_requests_by(on_early_request);
  sigset_t request;
  sigemptyset(&request);
  sigaddset(&request, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &request, nullptr);
}

/// Whether requests are from now on taken as ones to leave.
bool take_requests_to_leave(const space::Mapping& mapping, int process) {
  const space::ControlHeader& header = mapping.header();
  const char* const why_not = header.nodes > 1 || header.launcher.is_there == 0
                                  ? migration::why_not_restart(header)
                                  : migration::why_not_move(header);
  if (why_not != nullptr || !is_ours(on_early_request)) return false;
  Leaving& here = leaving();
  here.job = &header;
  const char* const beyond = std::getenv(bootstrap::starter_variable);
  here.self.remember();
  here.starter = header.launcher.is_there != 0 ? header.launcher.pid
                 : beyond != nullptr           ? std::atoi(beyond)
                                               : getppid();
  here.mine = &mapping.process_slot(process);
  take_requests_by(on_request_to_end);
  return true;
}

/// The one that has come before, to whoever takes them now.
void repeat_early_request() {
  Leaving& here = leaving();
  if (here.is_asked != 0) kill(getpid(), SIGTERM);
  here.is_asked = 0;
}

}  // namespace

void hand_over_before_ending(const space::Mapping& mapping, int process) {
  if (!take_requests_to_leave(mapping, process)) return do_not_hand_over();
  repeat_early_request();
}

void stop_handing_over() {
  if (is_ours(on_request_to_end)) std::signal(SIGTERM, SIG_DFL);
}

void do_not_hand_over() {
  if (is_ours(on_early_request)) std::signal(SIGTERM, SIG_DFL);
  repeat_early_request();
}

}  // namespace armature::hosting
