#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "armature/world.hpp"
#include "space/mapping.hpp"

// Other processes for a job on several nodes that another launcher has started: nobody looks at all
// nodes but the ranks, when they meet.

namespace armature::hosting {

/// All that was asked for anywhere.
struct Requests {
  std::uint32_t processes = 0;  // 0: as many as there are, without those that leave
  std::set<int> leaving;        // have been asked to end
  std::set<int> hosting;        // have ranks
  std::uint32_t number = 0;     // of the last request for processes that this rank has seen

  [[nodiscard]] bool are_there() const { return processes != 0 || !leaving.empty(); }
};

/// Collective: the same on all ranks. Waits for a moment where processes are asked to end: it may
/// be all of a node, one after the other.
[[nodiscard]] Requests gather_requests(const World& world, const char* call);
/// Answers why these cannot be, or, with nothing, that it is so already. Called by all ranks. All
/// may ask once more; what has been asked for since is not answered.
void answer_requests(const space::Mapping& mapping, int rank, const Requests& requests,
                     const std::string& refusal);

/// Writes them into the folder of the ranks, by rank 0, for whoever starts them anew, once it is
/// confirmed. Throws Error(corrupt).
void write_requests(const space::Mapping& mapping, const Requests& requests,
                    const std::string& folder);
/// Confirms that ranks are to be started anew, where this process runs none any more since all of
/// them are written. Called by each process. Until then they might have rolled back instead.
void confirm_requests(const space::Mapping& mapping);

}  // namespace armature::hosting
