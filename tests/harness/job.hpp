#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "armature/rank.hpp"
#include "space/address_space.hpp"
#include "space/job_memory.hpp"
#include "space/layout.hpp"
#include "space/mapping.hpp"

namespace armature::harness {

/// The memory of a job on one node without a launcher and without other processes: the real control
/// block and segments, all mapped into the test's process. The job that the process has joined
/// before is back when this one is gone. All other parts of the harness stand on it.
class Job {
 public:
  /// The address of rank 0's segment: not where the process's own job lies.
  static constexpr std::uint64_t default_base = space::default_base + space::default_room / 2;

  struct Shape {
    std::uint32_t ranks_per_process = 1;
    std::uint64_t segment_bytes = std::uint64_t{1} << 30;
    std::uint32_t cores = 1;
    std::uint64_t base = default_base;
    std::vector<std::int32_t> node_of_rank = {};  // empty: all are on this one
    std::int32_t node = 0;                        // this one
  };

  explicit Job(std::uint32_t ranks) : Job(ranks, Shape{}) {}
  Job(std::uint32_t ranks, const Shape& shape);

  [[nodiscard]] const space::Mapping& mapping() const { return mapping_.mapping(); }
  [[nodiscard]] space::ControlHeader& header() const { return mapping().header(); }
  [[nodiscard]] space::RankSlot& slot(int rank) const { return mapping().slot(rank); }
  /// The memory files of the segments, in the order of their ranks.
  [[nodiscard]] std::vector<int> descriptors() const;
  /// The whole job as that rank sees it.
  [[nodiscard]] std::unique_ptr<space::AddressSpace> address_space(Rank rank) const;

 private:
  space::JobMemory memory_;
  space::TemporaryMapping mapping_;
};

}  // namespace armature::harness
