#pragma once

#include <functional>

#include "space/mapping.hpp"
#include "virtual/nodes/left_behind.hpp"
#include "virtual/nodes/steps.hpp"

namespace armature::nodes {

/// What else is done while nothing is on its way: `when_quiet` and, when all have done that,
/// `by_each` by each process, and when all have, by the first one of the job `by_first`, or `undo`
/// where something has gone wrong: what these throw is that, and no rank goes anywhere then.
/// Halt::failed and Halt::problem then say so on all nodes; else, by the first one of each node,
/// `at_end` before ranks go on.
struct Meanwhile {
  std::function<void(const Steps& steps)> when_quiet;
  std::function<void(const Steps& steps)> by_each;
  std::function<void()> by_first, undo, at_end;
};

/// All processes of the job stand still, and ranks go to the processes that their slots name, of
/// whatever node. All ranks have let go of what lies on a node rather than in their bands. Returns
/// when every rank is there: this process may run those that it hosts now. False where they have
/// been written in order to go on in other processes: then this one ends. Throws GivenUp.
[[nodiscard]] bool exchange_ranks(const space::Mapping& mapping, int process, int band_file,
                                  const Meanwhile& meanwhile, LeftBehind& left);

}  // namespace armature::nodes
