#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "space/job_memory.hpp"

// The task of `armature run`, and its outcome.

namespace armature::command {

class HostFile;
class Signals;

enum class Bind {
  automatic,  // a core for each rank where there are enough cores, else none
  none,
  core,  // a core for each rank, in turn where there are fewer
};

/// How many ranks, and where they are.
struct PlacementOptions {
  std::uint32_t ranks = 0;         // 0: as many as there are usable cores
  std::uint32_t threads = 1;       // ranks per process, threads of it; the last may host fewer
  std::uint32_t processes = 0;     // that host virtual ranks; 0: as many as there are usable cores
  std::uint32_t nodes = 1;         // pretended: groups of ranks that speak over the network
  std::vector<std::string> hosts;  // machines to start on; empty: this one
  bool elastic = false;            // takes in nodes while it runs, and gives them back
  std::string hostfile;            // with a line for each node of it; empty: none
  std::shared_ptr<HostFile> host_file = {};  // that one, once it has been read
  std::string place;     // the links by which ranks are put on nodes; empty: in a row
  std::string topology;  // a file with the switches of nodes; empty: all are at one
  Bind bind = Bind::automatic;
};

struct VirtualRankOptions {
  bool virtual_ranks = false;           // fibers of few processes, in place of threads
  std::uint64_t stack_bytes = 0;        // of each of them; 0: the default
  bool private_globals = false;         // each has its own copy of the program
  bool globals_note = true;             // about variables that they share
  bool balance = false;                 // a process with nothing to do takes ranks of others
  double rebalance_every_s = 0;         // ranks go where what they computed says; 0: never
  std::string rebalance_by = "chosen";  // a strategy of armature/balance.hpp
};

struct SimulationOptions {
  std::string network;  // what it costs in a simulation that predicts times; empty: none does
  std::uint32_t simulated_deaths = 0;  // so many processes are killed, when the seed decides
  std::uint32_t simulated_leaves = 0;  // so many are asked to leave
  std::uint32_t simulated_joins = 0;   // so many come later
  std::optional<std::uint64_t>
      simulation_seed;            // a simulation, in which it decides what happens when
  std::uint64_t simulations = 0;  // further ones, with the seeds that follow it
};

struct AddressOptions {
  bool check_full = false;  // every address, on every call
  /// Whether accesses are looked at that nothing orders: where every call is checked and in the
  /// simulator of OpenSHMEM programs, never, or wherever that is possible.
  enum class Races { by_default, no, yes };
  Races races = Races::by_default;
  bool has_symmetric_variables = false;  // the program is OpenSHMEM's, linked for virtual ranks
  bool reproducible = false;             // reductions combine in one order
  std::uint64_t segment_base = 0;        // 0: the default
  std::uint64_t segment_bytes = 0;       // 0: the default
};

/// Checkpoints: where ranks are written to, how often, and which one is read at the start.
struct CheckpointOptions {
  std::string checkpoint_directory;     // of virtual ranks; empty: none
  double checkpoint_every_s = 0;        // 0: when asked for by SIGUSR2 or the program
  bool checkpoint_incremental = false;  // only what changed, where that can be
  double copy_every_s = 0;              // in memory, to recover; 0: when the program says so
  /// On several nodes: where ranks are written to, to go on in more processes or fewer; empty: they
  /// keep theirs.
  std::string resize_directory;
  std::uint64_t resize_wanted = 0;  // a request of the job before, as Resize::wanted
  std::uint32_t started = 0;        // processes of the job before, as Resize::started
  std::uint64_t stopped_ns = 0;  // when ranks of the job before stopped to go on here; 0: unknown
  /// A job that goes on from a checkpoint.
  struct Restore {
    std::string secrets;            // of the processes that wrote it
    bool slots_have_pages = false;  // in its control block, to which ranks have pointers
    /// The first rank of each of so many processes; empty: as many ranks in each.
    std::function<std::vector<std::uint32_t>(std::uint32_t processes)> first_ranks;
    /// Makes what processes look at when they join; and all the rest, which may take long.
    std::function<void(const space::Control& control)> prepare;  // of each node
    using Fill = void(const std::vector<space::JobMemory>& memory, const std::stop_token& stop,
                      const std::function<void()>& when_whole);
    std::function<Fill> fill;
  };
  std::optional<Restore> restore;
};

/// The launcher watches the job: what it says of it, and what ends it.
struct WatchOptions {
  bool label = false;
  bool verbose = false;
  space::OnDeath on_death = space::OnDeath::end_job;
  double timeout_s = 0;               // 0: none
  std::uint64_t timeout_from_ns = 0;  // CLOCK_MONOTONIC; 0: the job's start
  double stall_s = 60;                // 0: no report
  std::string trace;                  // where to write one; empty: nowhere
  std::string record_links;           // where to write bytes between ranks; empty: nowhere
};

struct LaunchOptions : PlacementOptions,
                       VirtualRankOptions,
                       SimulationOptions,
                       AddressOptions,
                       CheckpointOptions,
                       WatchOptions {
  std::vector<std::string> command;
  /// The signals of a launcher that starts the job several times: between two of these starts, too,
  /// none ends it at once. nullptr: a start has its own.
  std::shared_ptr<const Signals> signals = {};

  /// Returns what the processes of virtual ranks are to share: the checkpoint's, or new ones.
  [[nodiscard]] std::string secrets() const;
  /// Whether the time is told that a change takes.
  [[nodiscard]] bool tells_times() const { return verbose || elastic; }
};

/// Exit statuses of our own, as shells and timeout(1) use them.
inline constexpr int status_timeout = 124;
inline constexpr int status_not_executable = 126;
inline constexpr int status_not_found = 127;

/// How a job ended.
struct Outcome {
  int status = 0;           // that of the first rank that failed
  bool was_killed = false;  // processes were, by nobody who had to do with it
  bool was_ended = false;   // somebody has asked another launcher to end it
  /// It has not: its ranks are in resize_directory, and are to go on in other processes.
  bool goes_on = false;
  std::uint32_t processes = 0, nodes = 0;  // so many
  std::vector<int> kept_nodes;             // of those that there were
  std::vector<std::string> hosts;          // of other launchers: on these
  std::uint64_t stopped_ns = 0;            // when its ranks stopped for that; 0: unknown
  std::uint64_t resize_wanted = 0;         // what has not been answered yet
  std::uint32_t started = 0;               // processes for the job so far
};

}  // namespace armature::command
