#pragma once

#include <string>
#include <string_view>

#include "virtual/checkpoint/chain.hpp"
#include "virtual/checkpoint/part.hpp"
#include "virtual/meeting.hpp"

namespace armature::checkpoints {

/// Whether the processes of the job are to stop taking turns. After a death that the job does not
/// recover from nobody does: what the dead had on their stacks is lost. On several nodes all of
/// those here must have let go of what they share.
inline bool is_wanted(const space::ControlHeader& job) {
  const space::Halt& halt = job.halt;
  const bool is_asked =
      halt.wanted.load(std::memory_order_acquire) != halt.over.load(std::memory_order_relaxed) &&
      (job.nodes == 1 || halt.ready.load(std::memory_order_acquire) == job.ranks_here);
  return (is_asked || job.halt.is_to_regroup()) && job.deaths.load(std::memory_order_relaxed) == 0;
}

/// A process of virtual ranks, of which none runs: waits until all processes stand, writes its part
/// of the checkpoint, and returns when they go on.
class StandStill {
 public:
  /// `kept` is what the last one has left, if all were of this process.
  StandStill(const space::Mapping& mapping, int process, int band_file, Kept& kept);

  /// `refusal` says why the ranks of this process cannot be written; empty when they can.
  void run(const std::string& refusal);

 private:
  void lead(const std::string& refusal);
  void follow(const std::string& refusal);
  void fill_copy(const std::string& refusal);
  void wait_until_over() const;
  std::string open_folder();
  void write_part();
  void write_share(PartWriter& part);
  void close(bool failed);
  void write_manifest();
  void refuse(std::string_view why);
  void give_up(std::string_view why);
  [[nodiscard]] bool is_incremental() const;

  const space::Mapping& mapping_;
  space::ControlHeader& job_;
  space::Halt& halt_;
  const int process_;
  const int band_file_;
  Kept& kept_;
  const std::uint32_t regroup_, number_;
  const fibers::Meeting meeting_;
};

}  // namespace armature::checkpoints
