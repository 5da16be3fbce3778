#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command/run/checkpoints.hpp"
#include "command/run/coming.hpp"
#include "command/run/deaths.hpp"
#include "command/run/filling.hpp"
#include "command/run/host_watch.hpp"
#include "command/run/job_output.hpp"
#include "command/run/mpir.hpp"
#include "command/run/process_starter.hpp"
#include "command/run/recovery.hpp"
#include "command/run/resizing.hpp"
#include "command/run/restarting.hpp"
#include "command/run/signal_policy.hpp"
#include "command/run/start_watch.hpp"
#include "command/run/time_watch.hpp"

// A job from its first process to its last, seen by the launcher. It is a state (the job's memory
// and its processes), policies, each of which knows those that are declared before it, and one loop
// in one thread. The loop sleeps until a signal, output of a rank, or the next look at the control
// block is due, and then asks each policy to look.

namespace armature::command {

class RunningJob {
 public:
  struct Start {
    const std::vector<space::JobMemory>& memory;  // of each node
    space::Control control;                       // has the slot of every rank in its node's block
    int store = -1;                               // descriptor, with several nodes
    const Filling* filling = nullptr;             // what fills that memory, if anything does
    std::string path;                             // of the program
    Binding binding;
    std::vector<int> networks;  // descriptors of the nodes' network namespaces, -1: ours
  };
  RunningJob(const LaunchOptions& options, Start start);

  /// Starts the ranks, stays until all are gone, leaves no process behind.
  Outcome run();

 private:
  [[nodiscard]] bool start_processes();
  [[nodiscard]] bool start(LaunchedProcess& process);
  void sleep_until_something_happens();
  [[nodiscard]] int milliseconds_to_sleep() const;
  void look();
  void watch_resizing();
  void watch_simulation();
  void finish();
  void write_the_rest();
  [[nodiscard]] Outcome outcome();

  const std::string path_;
  const JobView view_;
  LaunchedProcesses processes_{view_};
  const std::shared_ptr<const Signals> signals_;
  Shutdown shutdown_{processes_, view_};
  JobOutput output_{view_, shutdown_};
  ProcessStarter starter_;
  TimeWatch time_{view_, shutdown_};
  StartWatch start_;
  Checkpoints checkpoints_;
  SignalPolicy signal_policy_{view_, *signals_, shutdown_, time_, checkpoints_};
  DeathReports reports_;
  ResizeRequests requests_{view_};
  Resizing resizing_{view_, processes_, starter_, requests_};
  Coming coming_{view_, processes_, starter_, requests_};
  Restarting restarting_{view_, processes_, requests_, coming_};
  HostWatch hosts_{view_, processes_};
  Recovery recovery_{view_, processes_, output_, shutdown_, reports_, restarting_};
  DebuggerTable debuggers_{view_, processes_, path_};
  Deaths deaths_{view_, processes_, shutdown_, reports_, recovery_, resizing_, coming_};
};

}  // namespace armature::command
