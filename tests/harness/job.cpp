#include "harness/job.hpp"

namespace armature::harness {

Job::Job(std::uint32_t ranks, const Shape& shape)
    : memory_(space::JobMemory::create({.ranks = ranks,
                                        .ranks_per_process = shape.ranks_per_process,
                                        .segment_base = shape.base,
                                        .segment_bytes = shape.segment_bytes,
                                        .cores = shape.cores,
                                        .node_of_rank = shape.node_of_rank,
                                        .node = shape.node})),
      mapping_(space::map_control(memory_.control.get()), descriptors()) {}

std::vector<int> Job::descriptors() const {
  std::vector<int> fds;
  for (const auto& segment : memory_.segments) fds.push_back(segment.get());
  return fds;
}

std::unique_ptr<space::AddressSpace> Job::address_space(Rank rank) const {
  const auto [file, offset] =
      header().layout.file_place(static_cast<std::uint32_t>(static_cast<int>(rank)));
  return std::make_unique<space::AddressSpace>(
      mapping(), rank, space::AddressSpace::SegmentFile{memory_.segments[file].get(), offset});
}

}  // namespace armature::harness
