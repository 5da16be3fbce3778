#pragma once

#include <cstdint>
#include <vector>

#include "command/explain/observe.hpp"
#include "harness/job.hpp"
#include "space/control.hpp"
#include "space/layout.hpp"

namespace armature::harness {

/// A job whose ranks say that they wait, for tests of the command: it reads what they wait for from
/// their control block and segments, as from another process. Nobody runs.
class WaitingJob {
 public:
  static constexpr std::uint64_t segment_bytes = space::segment_bytes_min;

  explicit WaitingJob(std::uint32_t ranks);

  [[nodiscard]] static std::uint64_t address(int rank, std::uint64_t offset) {
    return Job::default_base + static_cast<std::uint64_t>(rank) * segment_bytes + offset;
  }

  [[nodiscard]] const space::Control& control() const { return control_; }
  space::RankSlot& slot(int rank) { return control_.slot(rank); }

  void waits(int rank, space::Awaiting what, int peer, std::uint64_t object = 0,
             std::uint64_t detail = 0);

  struct Tally {
    std::uint64_t wave, sent, executed;
  };
  /// A team's block in the first member's segment; entered[i] is the last round that member i has
  /// entered, tallies[i] what it said in its last fence.
  std::uint64_t make_team(const std::vector<int>& members,
                          const std::vector<std::uint64_t>& entered,
                          const std::vector<Tally>& tallies = {});
  /// `from` has notified `rank` that often.
  void notify(int rank, int from, std::uint64_t times);
  /// A ring from one rank to another with so many bytes to read.
  void leave_mail(int rank, int from, std::uint64_t bytes);

  [[nodiscard]] command::Snapshot observe() const { return command::observe(control_, files_); }

 private:
  [[nodiscard]] static std::byte* at(int rank, std::uint64_t offset) {
    return reinterpret_cast<std::byte*>(address(rank, offset));
  }
  static void write(int rank, std::uint64_t offset, std::uint64_t value);

  Job job_;
  space::Control control_;
  command::SegmentFiles files_;
};

}  // namespace armature::harness
