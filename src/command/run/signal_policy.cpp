#include "command/run/signal_policy.hpp"

#include <csignal>
#include <utility>

#include "command/run/console.hpp"

namespace armature::command {

void SignalPolicy::handle() {
  const LaunchOptions& options = job_.options();
  while (const auto signal = signals_.next()) {
    if (signal->number == SIGINT && std::exchange(interrupted_, true)) {
      say("interrupted twice: all ranks are killed");
      shutdown_.note_passed_on(SIGKILL);
      shutdown_.signal_processes(SIGKILL);
    } else if (signal->number == SIGUSR2 && !options.checkpoint_directory.empty()) {
      if (options.nodes == 1)
        checkpoints_.ask();
      else
        ask_program_for_checkpoint();
    } else if (signal->number != SIGCHLD) {
      pass_on(*signal);
    }
  }
}

bool SignalPolicy::is_writing_cut_short() {
  while (const auto signal = signals_.next()) {
    if (signal->number == SIGTSTP) stop_with_the_ranks();
    if (ends_programs(signal->number)) shutdown_.note_passed_on(signal->number);
  }
  return shutdown_.passed_on() != 0 || time_.is_up();
}

void SignalPolicy::pass_on(Signals::Arrived signal) {
  // A second request says that its sender does not want to wait.
  if (signal.number == SIGTERM && shutdown_.passed_on() == SIGTERM && shutdown_.kill_at_ns() == 0) {
    say("asked to end twice: ranks that do not end now are killed");
    shutdown_.kill_soon();
  }
  // Signals of the terminal's keys go to the ranks too, since they are in our process group.
  shutdown_.pass_on(signal.number, signal.by_terminal);
  if (signal.number == SIGTSTP) stop_with_the_ranks();
}

void SignalPolicy::stop_with_the_ranks() {
  signals_.stop();
  // Here somebody has continued us, and SIGCONT waits to be passed on.
  time_.restart();
}

/// Asks the program, on several nodes: it says where in its course that can be.
void SignalPolicy::ask_program_for_checkpoint() {
  space::ControlHeader& job = job_.header_of_rank_0();
  job.quiesce.requests.fetch_add(1, std::memory_order_relaxed);
  if (job.every.checkpoints.is_asked_for.load(std::memory_order_relaxed) == 0)
    say("a checkpoint is written as soon as the program calls armature::checkpoint with .when_due "
        "= true, which it has not done so far");
}

}  // namespace armature::command
