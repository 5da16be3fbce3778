#pragma once

#include <cstdint>
#include <vector>

// How fast processes compute, for a plan of who goes where: one whose processor another program
// uses, too, or whose processor is a slower one, should have less to do.

namespace armature::hosting {

/// The processor of a rank's process, as the rank tells it.
struct Processor {
  double share = 1;  // that the process had of the time for which it wanted to run
  double rate = 1;   // turns of a loop in a nanosecond of its own time
};

/// Measures that of the calling rank's process, since the last time with another number: all ranks
/// of a process that call with the same one get the same.
Processor measure_processor(std::uint64_t number);

/// The speed of a processor, where the fastest has that rate.
[[nodiscard]] double speed_of(const Processor& processor, double fastest_rate);
/// Whether the slowest is none: so little slower is chance.
[[nodiscard]] bool are_alike(double slowest, double fastest);
/// The speed as plans take it, the fastest 1: few different ones.
[[nodiscard]] double as_told(double speed, double fastest);

/// Rank 0 keeps this of processes, by their numbers, from one plan to the next.
class PlaceSpeeds {
 public:
  /// Begins to take what is told; until told otherwise, processes are as fast as they were.
  void begin() { told_.clear(); }
  void take(int process, const Processor& processor);
  /// The speed of each of these processes, the fastest 1, and so all that are not slower than 0.85
  /// of it: so little is chance. Empty where none is.
  [[nodiscard]] std::vector<double> of(const std::vector<int>& processes);

 private:
  struct Told {
    double share = 0, rate = 0;
    int count = 0;
  };
  std::vector<Told> told_;        // by process
  std::vector<Processor> known_;  // likewise
};

}  // namespace armature::hosting
