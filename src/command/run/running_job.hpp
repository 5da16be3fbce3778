#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/explain/observe.hpp"
#include "command/run/checkpoints.hpp"
#include "command/run/console.hpp"
#include "command/run/descendants.hpp"
#include "command/run/ending.hpp"
#include "command/run/filling.hpp"
#include "command/run/labels.hpp"
#include "command/run/launch_options.hpp"
#include "command/run/output.hpp"
#include "command/run/rebalancing.hpp"
#include "command/run/signals.hpp"
#include "command/run/spawn.hpp"
#include "command/run/stall.hpp"
#include "space/job_memory.hpp"

// A job from its first process to its last, seen by the launcher. One thread, one loop: it sleeps
// until a signal, output of a rank, or the next look at the control block is due. Everything that
// ranks have to say to the launcher stands in the control block, so that it can be read whatever
// has become of them.

namespace armature::command {

class RunningJob {
 public:
  /// `memory` is that of each node; `control` has the slot of every rank in its node's block. What
  /// fills that memory, or nullptr.
  RunningJob(const LaunchOptions& options, const std::vector<space::JobMemory>& memory,
             space::Control control, int board, const Filling* filling);

  /// Starts the ranks, stays until all are gone, leaves no process behind.
  Outcome run(const std::string& path, Binding binding);

 private:
  struct Process {
    Hosted ranks;  // that it hosts at first
    int node = 0;
    pid_t pid = -1;
    bool alive = false;
    bool lost = false;              // told to everybody as dead
    int wait_status = 0;            // of one that is gone
    bool never_joined = false;      // has exited with 0 without having called armature::run
    std::uint64_t given_up_ns = 0;  // when it was first seen that another node has given it up
  };

  // running_job.cpp: the loop and what drives it
  bool start_processes(const std::string& path, Binding binding);
  void sleep_until_something_happens();
  void handle_signals();
  void pass_on(Signals::Arrived signal);
  void stop_with_the_ranks();
  void follow_ranks();
  void ask_program_for_checkpoint();
  [[nodiscard]] space::ControlHeader& header_of_rank_0() const;
  void watch_joining();
  void watch_filling();
  void watch_output();
  void write_the_rest();
  [[nodiscard]] bool is_writing_cut_short();
  [[nodiscard]] bool is_time_up() const;
  void watch_time();
  [[nodiscard]] std::string explanation() const;
  void signal_processes(int signal);
  void await_those_left_behind() const;
  void ask_to_end();
  void end_job();
  void kill_when_due();
  [[nodiscard]] bool any_alive() const;

  // deaths.cpp: ranks and their processes that leave, in order or not
  void read_last_words();
  void reap();
  [[nodiscard]] pid_t joined_behind(const Process& process, std::vector<pid_t>& ours) const;
  void have_killed(int left);
  [[nodiscard]] bool has_begun_to_join(const Process& process) const;
  void has_exited(Process& process);
  void refuse_those_who_never_joined();
  void kill_those_given_up();
  [[nodiscard]] bool is_given_up(const Process& process) const;
  void report(const std::string& who, const Ending& ending, const std::string& stack);
  void report_deaths_alike();
  void lose(Process& process, const Ending& ending);
  [[nodiscard]] space::Life life_of(const Process& process) const;
  [[nodiscard]] int process_of(int rank) const;
  [[nodiscard]] std::string name_of(int rank) const;
  [[nodiscard]] std::string name_of(const Process& process) const;

  // recovery.cpp: going on without processes that were killed
  [[nodiscard]] std::string why_not_recover(const Process& process) const;
  void recover(Process& process, const std::string& who, const Ending& ending);
  void watch_recovery();
  void watch_recovery_on_nodes();
  void have_recovered();
  bool have_gone_back_without(Process& process);
  void follow_living_ranks();
  void bring_requests_after(const std::vector<int>& nodes);
  [[nodiscard]] bool recovers_on_nodes() const;
  [[nodiscard]] int lost_processes() const;
  [[nodiscard]] std::vector<int> living_nodes() const;

  // resizing.cpp: more processes for virtual ranks, or fewer
  void watch_resizing();
  [[nodiscard]] std::string why_not_resize() const;
  void take_request();
  void answer_request(const std::string& refusal);
  void fulfil_request();
  void start_joining(std::size_t count);
  [[nodiscard]] bool have_joined();
  [[nodiscard]] std::vector<int> take_those_who_want_to_leave();
  bool spread(const std::vector<int>& leave, const std::vector<int>& join);
  bool regroup_alone(space::Regroup as, const std::vector<int>& leave,
                     const std::vector<int>& join);
  void have_spread();
  void rebalance();
  [[nodiscard]] std::vector<int> hosting() const;
  [[nodiscard]] bool is_regrouping() const;
  [[nodiscard]] bool is_resizing() const;
  [[nodiscard]] bool has_done_its_part(int number) const;
  [[nodiscard]] bool is_dispensable(const Process& process) const;
  void do_without(Process& process, const Ending& ending);

  // starting_anew.cpp: the same on several nodes, where others are started for all
  void watch_starting_anew();
  void take_requests_of_nodes();
  void note_those_who_leave();
  [[nodiscard]] std::string why_not_start_anew() const;
  void want_to_start_anew();
  void give_up_starting_anew(const std::string& why);
  void begin_anew_once_more();
  void answer_nodes(const std::string& refusal);
  [[nodiscard]] bool is_to_go_on() const;
  [[nodiscard]] Outcome outcome() const;

  const LaunchOptions& options_;
  const std::vector<space::JobMemory>& memory_;
  const space::Control control_;
  std::vector<space::Control> of_nodes_;
  std::uint32_t followed_ = 0;  // the last time when ranks have gone to other nodes
  int board_;                   // descriptor; -1 with one node
  const Filling* filling_;      // nullptr: the memory is as it should be
  BandFiles band_files_;
  const Descendants descendants_;
  Signals signals_;
  Outputs outputs_;
  const SayThrough say_through_{outputs_.of(STDERR_FILENO)};
  Labels labels_{outputs_};
  std::vector<Process> processes_;
  StallWatch stall_;
  Checkpoints checkpoints_;
  Rebalancing rebalancing_;
  std::optional<Spawner> spawner_;
  struct Request {
    std::uint32_t number = 0, processes = 0;
    std::string problem;
  };
  std::optional<Request> request_;
  std::vector<int> joining_;  // have been started, and are no hosts yet
  std::vector<int> leaving_;
  std::vector<std::uint32_t> requests_;  // by node: the last one that was seen
  std::vector<int> leave_;               // on several nodes, in the end
  std::uint64_t leave_since_ns_ = 0;     // when the last of them was asked to
  bool is_wanted_anew_ = false;
  bool spreads_ = false;
  bool rebalances_ = false;  // the same, each rank to where a plan says
  std::uint64_t spreading_since_ns_ = 0;

  std::optional<int> failure_;  // status of the first that failed
  bool ending_ = false;         // the others have been told to go
  std::uint64_t kill_at_ns_ = 0;
  std::uint64_t recovering_since_ns_ = 0;
  int passed_on_ = 0;  // the last signal that we have passed on and that ends programs
  bool interrupted_ = false;
  bool has_lost_output_ = false;
  bool has_killed_ = false;  // we have
  bool was_killed_ = false;  // somebody else has killed a process
  bool joined_ = false;
  int further_deaths_ = 0;
  std::optional<Ending> first_death_;  // of those that ended the job
  int deaths_alike_ = 0;               // further ones for the same reason
  std::uint64_t oom_kills_before_ = 0;
};

}  // namespace armature::command
