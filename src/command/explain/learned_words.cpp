#include "command/explain/learned_words.hpp"

#include <atomic>
#include <set>

#include "space/segment_head.hpp"
#include "space/team_block.hpp"
#include "space/world_place.hpp"

namespace armature::command {

TeamPlace place_of_world(const space::ControlHeader& header) {
  const std::uint64_t offset = space::world_lies_behind(header)
                                   ? header.ranks * header.layout.segment_bytes
                                   : space::SegmentHead::world_block_offset(header.ranks);
  return {header.node, header.layout.segment_base + offset};
}

std::vector<LearnedWords> read_learned(const space::ControlHeader& header,
                                       const SegmentFiles& files,
                                       const std::vector<TeamPlace>& places) {
  std::vector<LearnedWords> all;
  std::set<std::uint32_t> seen;  // teams
  for (const TeamPlace& place : std::set(places.begin(), places.end())) {
    space::TeamBlock block;
    if (!files.of_node(header, place.node).read(header, place.address, &block, sizeof block) ||
        block.magic != space::TeamBlock::expected_magic || !seen.insert(block.id).second)
      continue;
    LearnedWords team{.team = block.id, .words = {}};
    for (const auto& word : block.learned)
      if (const std::uint64_t learned = word.load(std::memory_order_relaxed); learned != 0)
        team.words.push_back(learned);
    if (!team.words.empty()) all.push_back(std::move(team));
  }
  return all;
}

}  // namespace armature::command
