#include "team/breakdown.hpp"

#include "team/team_state.hpp"
#include "wait/notifier.hpp"

namespace armature {

bool team::note_breakdown(std::atomic<std::uint64_t>& word, std::uint64_t noted) {
  // Numbers wrap around.
  const auto is_earlier = [noted](std::uint64_t known) {
    return static_cast<std::int32_t>((noted >> 32) - (known >> 32)) < 0;
  };
  std::uint64_t known = word.load(std::memory_order_relaxed);
  while (known == 0 || is_earlier(known))
    if (word.compare_exchange_weak(known, noted, std::memory_order_relaxed)) return true;
  return false;
}

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
