#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "command/run/ending.hpp"
#include "command/run/process_starter.hpp"
#include "command/run/rebalancing.hpp"
#include "command/run/resize_requests.hpp"

namespace armature::command {

class Coming;

/// Gives a job on one node more processes for virtual ranks, or fewer, and moves ranks to other
/// processes, while they run. Processes to come are started and join; those to go are named. Then
/// all reconfigure once, which gives each of those that are left as many ranks as the others
/// (elastic/reconfigure.cpp). Until then nothing has changed, so whatever fails before that is
/// told, and the job goes on as it was.
class Resizing {
 public:
  Resizing(const JobView& job, LaunchedProcesses& processes, ProcessStarter& starter,
           ResizeRequests& requests);

  /// Does what is due once ranks have been reconfigured, if they were to. `has_died` is told of
  /// processes that were killed when others were about to take their ranks, and not all could be
  /// taken.
  void finish(const std::function<void(LaunchedProcess&)>& has_died);
  /// Called now and then, while no reconfiguration goes on: does the next thing that is asked for.
  void look();
  /// Whether a simulation, which lets processes come by itself, has not got them yet.
  [[nodiscard]] bool awaits_simulation() const;
  /// Starts these, once. False when it cannot.
  [[nodiscard]] bool start_for_simulation(Coming& coming);
  /// Processes come or go.
  [[nodiscard]] bool is_under_way() const { return spreads_ || !joining_.empty(); }
  /// The time at which it wants to look; 0: now and then will do.
  [[nodiscard]] std::uint64_t next_ns() const { return rebalancing_.next_ns(); }

  /// Whether the process hosts no rank that has still to do something: it has handed all over, has
  /// none yet, or all have ended.
  [[nodiscard]] bool is_dispensable(const LaunchedProcess& process) const;
  /// Goes on without a process that is dispensable and has died.
  void do_without(LaunchedProcess& process, const Ending& ending);

 private:
  void fulfil_request();
  void start_joining(std::size_t count);
  [[nodiscard]] bool start(int number);
  [[nodiscard]] bool have_joined();
  [[nodiscard]] std::vector<int> take_those_who_want_to_leave();
  bool spread(const std::vector<int>& leave, const std::vector<int>& join);
  bool reconfigure(space::Reconfiguration as, const std::vector<int>& leave,
                   const std::vector<int>& join);
  void say_why_it_stays(int number);
  void rebalance();
  [[nodiscard]] bool has_done_its_part(int number) const;

  const JobView& job_;
  LaunchedProcesses& processes_;
  ProcessStarter& starter_;
  ResizeRequests& requests_;
  Rebalancing rebalancing_;
  std::vector<int> joining_;  // have been started, and are no hosts yet
  std::vector<int> leaving_;
  bool spreads_ = false;
  bool rebalances_ = false;  // the same, each rank to where a plan says
  std::uint64_t spreading_since_ns_ = 0;
  bool simulation_has_all_ = false;
};

}  // namespace armature::command
