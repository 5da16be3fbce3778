#include "world/hand_over_ranks.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "bootstrap/environment.hpp"
#include "virtual/addresses.hpp"

namespace armature::hosting {
namespace {

// Of the process.
const space::ControlHeader* job = nullptr;
pid_t starter = 0;
space::ProcessSlot* mine = nullptr;

/// Only what is safe in a handler. The launcher means it; others may be anybody who wants the
/// processor for something else.
void on_request_to_end(int signal, siginfo_t* info, void* /*context*/) {
  const bool by_launcher = info->si_pid == starter;
  if (!by_launcher && job->differ.load(std::memory_order_relaxed) == 0 &&
      mine->wants_to_leave.exchange(1, std::memory_order_acq_rel) == 0 &&
      (job->has_launcher == 0 || kill(job->launcher_pid, SIGCHLD) == 0))
    return;
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void take_requests_to_end(const space::Mapping& mapping, int process) {
  struct sigaction old {};
  const space::ControlHeader& header = mapping.header();
  const char* const why_not = header.nodes > 1 || header.has_launcher == 0
                                  ? fibers::why_not_start_anew(header)
                                  : fibers::why_not_move(header);
  if (why_not != nullptr || header.on_death == space::OnDeath::go_on ||
      sigaction(SIGTERM, nullptr, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 ||
      old.sa_handler != SIG_DFL)
    return;
  job = &header;
  const char* const beyond = std::getenv(bootstrap::starter_variable);
  starter = header.has_launcher != 0 ? header.launcher_pid
            : beyond != nullptr      ? std::atoi(beyond)
                                     : getppid();
  mine = &mapping.process_slot(process);
  struct sigaction action {};
  action.sa_sigaction = on_request_to_end;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESTART | SA_ONSTACK);
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

void hand_over_before_ending(const space::Mapping& mapping, int process) {
  take_requests_to_end(mapping, process);
  if (mapping.header().has_launcher != 0) hear_requests_to_end();
}

void hear_requests_to_end() {
  sigset_t request;
  sigemptyset(&request);
  sigaddset(&request, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &request, nullptr);
}

}  // namespace armature::hosting
