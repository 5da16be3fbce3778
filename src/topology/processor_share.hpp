#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace armature::topology {

/// The kernel's account of a thread, in nanoseconds since it began: how long it ran, and how long
/// it was ready to run and had to wait for a processor (proc_pid_schedstat(5)).
struct ProcessorTime {
  std::uint64_t ran_ns = 0, waited_ns = 0;
};

/// Reads a file of that kind. Nothing where it is none.
std::optional<ProcessorTime> processor_time_in(std::string_view text);
/// The calling thread's. Nothing where the kernel does not tell.
std::optional<ProcessorTime> own_processor_time();

/// The part of a processor that a thread had, as others use it, too.
class ProcessorShare {
 public:
  /// Less time says nothing: whoever else had the processor once in it had it for some 3 ms.
  static constexpr std::uint64_t least_ns = 20'000'000;

  /// Returns the part that the thread got of the time for which it wanted to run, since the call
  /// before that found enough: 1 where it never waited. Where there was too little, what was found
  /// before.
  double since_last(const std::optional<ProcessorTime>& now);

 private:
  ProcessorTime last_;
  double share_ = 1;
};

/// Measures how fast the processor of the calling thread computes: turns of a loop in a nanosecond
/// of its own time, the best of some short trials. Takes some 50 us.
double processor_rate();

}  // namespace armature::topology
