#pragma once

#include <vector>

#include "space/control.hpp"

namespace armature::command {

struct SegmentFiles;

/// Lists what others have left for a rank that it has not taken yet.
struct Pending {
  std::vector<int> messages;  // by these ranks, in its mailboxes
  std::vector<int> notifies;  // by these ranks, not waited for

  [[nodiscard]] bool none() const { return messages.empty() && notifies.empty(); }
};

/// Reads the head of the rank's segment and the rings it names. Empty where that cannot be read.
Pending read_pending(const space::ControlHeader& header, const SegmentFiles& segments, int rank);

}  // namespace armature::command
