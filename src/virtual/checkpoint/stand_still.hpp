#pragma once

#include <string>

#include "virtual/checkpoint/meeting.hpp"

namespace armature::checkpoints {

/// Whether the processes of the job are to stop taking turns. After a death that the job does not
/// recover from nobody does: what the dead had on their stacks is lost.
inline bool is_wanted(const space::ControlHeader& job) {
  return (job.halt.wanted.load(std::memory_order_acquire) !=
              job.halt.over.load(std::memory_order_relaxed) ||
          is_to_regroup(job)) &&
         job.deaths.load(std::memory_order_relaxed) == 0;
}

/// A process of virtual ranks, of which none runs: waits until all processes stand, writes its part
/// of the checkpoint, and returns when they go on.
class StandStill {
 public:
  StandStill(const space::Mapping& mapping, int process, int band_file);

  /// `holder` is a rank of this process that cannot be written, since it holds something of the
  /// process (StaysHere), or -1.
  void run(int holder);

 private:
  void lead(int holder);
  void follow(int holder);
  void fill_copy(int holder);
  void write_part(int holder);
  void close(bool failed);
  void write_manifest();
  void give_up(std::string why);

  const space::Mapping& mapping_;
  space::ControlHeader& job_;
  space::Halt& halt_;
  const int process_;
  const int band_file_;
  const std::uint32_t number_;
  const Meeting meeting_;
};

}  // namespace armature::checkpoints
