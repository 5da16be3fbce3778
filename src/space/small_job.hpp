#pragma once

#include <cstdint>
#include <vector>

#include "space/job_memory.hpp"
#include "space/layout.hpp"
#include "space/mapping.hpp"

namespace armature::space {

/// The memory of a job of a few ranks, all of whom this process may look at: for unit tests of what
/// works on it.
class SmallJob {
 public:
  explicit SmallJob(std::uint32_t ranks)
      : memory_(JobMemory::create({.ranks = ranks,
                                   .ranks_per_process = 1,
                                   .band_base = default_base + default_room / 2,
                                   .band_bytes = std::uint64_t{1} << 30,
                                   .cores = 1})),
        mapping_(map_control(memory_.control.get()), descriptors()) {}

  [[nodiscard]] const Mapping& mapping() const { return mapping_.mapping(); }
  [[nodiscard]] const JobMemory& memory() const { return memory_; }

 private:
  [[nodiscard]] std::vector<int> descriptors() const {
    std::vector<int> fds;
    for (const auto& band : memory_.bands) fds.push_back(band.get());
    return fds;
  }

  JobMemory memory_;
  TemporaryMapping mapping_;
};

}  // namespace armature::space
