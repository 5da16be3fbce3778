#pragma once

#include <string>
#include <vector>

#include "command/explain/observe.hpp"

namespace armature::command {

/// The doing of one rank.
struct RankLine {
  int rank = 0;
  int pid = 0;
  int process = 0;      // which of the job's
  int thread = 0;       // its number in that process where that hosts several ranks, else 0
  std::string verb;     // "waits"
  double seconds = -1;  // since when; negative where a time means nothing
  std::string object;   // "for mutex 0 at rank 2, held by rank 0"
  Pending pending;
  std::string place = {};  // "halo.cpp:42", of the call, or of what it does; empty: not known
};

/// Why a job does not move, or what it does if it does.
struct Explanation {
  std::vector<RankLine> lines;  // one for each rank
  std::vector<std::string>
      findings;           // sentences: deadlocks, waits that cannot end, who keeps the others
  bool hopeless = false;  // a finding says that something can never end
  bool waiting = false;   // at least one rank waits
};

Explanation explain(const Snapshot& snapshot);

/// One line per rank (ranks that do the same on one line), then the findings, each line indented.
std::string text(const Explanation& explanation, const std::string& indent = "  ");

}  // namespace armature::command
