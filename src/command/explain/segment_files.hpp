#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "space/control.hpp"

// A job's memory files as another process reads them: nothing read here is trusted.

namespace armature::command {

/// The segments of a job, read through their files. Borrows the descriptors.
struct SegmentFiles {
  std::vector<int> fds;       // the files of the first node in their order, those of the next, ...
  std::vector<int> controls;  // of several nodes: the control block of each

  /// The files in which ranks of that node find what they wait for.
  [[nodiscard]] SegmentFiles of_node(const space::ControlHeader& header, int node) const;

  /// The rank whose segment holds that address, or -1.
  [[nodiscard]] static int owner(const space::ControlHeader& header, std::uint64_t address);
  struct Place {
    int file = -1;
    std::uint64_t offset = 0;
  };
  /// Finds these bytes; nothing when they lie in no segment, or not in one only.
  [[nodiscard]] std::optional<Place> find(const space::ControlHeader& header, std::uint64_t address,
                                          std::size_t bytes) const;
  /// False when they are nowhere.
  bool read(const space::ControlHeader& header, std::uint64_t address, void* to,
            std::size_t bytes) const;
};

/// Makes `control`, a node's, have the slots of all ranks. Slots of ranks that are on the node of
/// `other_file`, another control block of the job, are seen there from now on. False when that
/// cannot be mapped.
bool show_slots_of(const space::Control& control, int other_file, bool writable);
/// Shows the slot of one rank, wherever it is said to be.
bool show_slot(const space::Control& control, int rank, int other_file, bool writable);

}  // namespace armature::command
