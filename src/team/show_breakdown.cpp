#include "team/show_breakdown.hpp"

#include "team/team_state.hpp"
#include "wait/notifier.hpp"

namespace armature {

void team::show_breakdown(detail::TeamState& team, const Breakdown& breakdown) {
  if (!note_breakdown(team.block().breakdown, breakdown.word())) return;
  if (team.proxy().is_far()) team.proxy().send_breakdown(team.rank(), breakdown.word());
  const space::AddressSpace& space = team.space();
  for (const std::int32_t rank : team.members())
    if (space.is_here(rank)) wait::notify(space.slot(rank));
}

std::optional<team::Breakdown> team::breakdown_of(const detail::TeamState& team) {
  const space::TeamBlock* const block = team.lines().block();
  if (block == nullptr) return std::nullopt;
  return Breakdown::of(block->breakdown.load(std::memory_order_relaxed));
}

}  // namespace armature
