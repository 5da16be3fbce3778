#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "armature/balance.hpp"
#include "armature/world.hpp"
#include "world/place_speeds.hpp"

// The strategy `distributed` for virtual ranks: one rank of each process speaks for it, and they
// exchange loads two by two (armature/dimension_exchange.hpp).

namespace armature::hosting {

/// Known of one rank: to itself, and to the speaker of its process.
struct OwnLoad {
  double seconds = 0;  // that it has computed
  int process = 0;     // where it is
  bool stays = false;
  Processor processor;  // of its process
};

struct ExchangedPlan {
  int to = 0;  // the process where the calling rank goes
  balance::Verdict before = {}, after = {};
  std::size_t most_known = 0;  // loads of ranks of other processes, by one rank at once
};

/// Collective over all ranks. Ranks go to these processes, which rank 0 says.
ExchangedPlan exchange_loads(const World& world, const OwnLoad& mine,
                             const std::vector<int>& processes);

/// A line about it, for logs.
std::string text_of(const ExchangedPlan& plan, int ranks);

}  // namespace armature::hosting
