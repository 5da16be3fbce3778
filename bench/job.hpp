#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/row.hpp"

// The jobs that measure: this very program, started again by its own `armature run`.

namespace armature::bench {

/// How many ranks there are, and how many of them a process hosts; or how many processes host them
/// as fibers.
struct Shape {
  int ranks = 2;
  int threads = 1;
  int virtual_processes = 0;
  int nodes = 1;           // pretended
  int method_threads = 0;  // so many run the methods of a rank
  bool balance = false;
  bool recovers = false;  // when a process is killed
  bool links = false;     // bytes between ranks are recorded
};

struct Job {
  Shape shape;
  std::string restart;                 // from the checkpoint in that folder, instead of anew
  std::vector<std::string> arguments;  // of `armature bench-rank`
};

/// In the environment of ranks: where rows of a restarted job go, and when its command began.
inline constexpr const char* rows_variable = "ARMATURE_BENCH_ROWS";
inline constexpr const char* started_variable = "ARMATURE_BENCH_STARTED";

/// Runs the job and calls `on_row` for each row as it comes. Throws std::runtime_error when it
/// fails, Interrupted (process.hpp) when this program was told to end; so do those below.
void run_job(const Job& job, const std::function<void(const Row&)>& on_row);

/// Nanoseconds from the start of `armature run` with so many ranks of a program that only joins the
/// job, to its end. And those of so many bare processes of the same program started by hand.
double startup_ns(int ranks);
double bare_startup_ns(int processes);

}  // namespace armature::bench
