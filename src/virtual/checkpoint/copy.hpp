#pragma once

#include <cstdint>

#include "virtual/meeting.hpp"

namespace armature::checkpoints {

/// A checkpoint in memory: one of two files that hold what the bands' file held, page by page, and
/// what the control block knew of each rank. The memory is the node's, not a process's: whoever
/// dies, those who are left have it. There are two, so that one is whole while the other is
/// written.
class Copy {
 public:
  /// Number 1 or 2. The files of copies are open behind that of the bands.
  Copy(const space::Mapping& mapping, int band_file, std::uint32_t number);

  // By all in a meeting, each its share. Throw Error(out_of_memory).
  void fill(const fibers::Meeting& meeting) const;
  void bring_back(const fibers::Meeting& meeting) const;
  // By one of them, while nobody runs: what the control block knows of ranks.
  void write_records() const;
  void give_records() const;

 private:
  const space::Mapping& mapping_;
  const int band_file_, file_;
};

}  // namespace armature::checkpoints
