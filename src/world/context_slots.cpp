// No two rooms keep what they have of a rank in the same slot of its context.
#include <algorithm>
#include <array>
#include <cstddef>

#include "collective/engine.hpp"
#include "fibers/rank_locals.hpp"
#include "layer/work.hpp"
#include "message/messages.hpp"
#include "rmi/endpoint.hpp"
#include "team/teams_of_rank.hpp"
#include "wait/implicit.hpp"
#include "world/world_of.hpp"

namespace armature::hosting {
namespace {

consteval bool are_distinct(std::array<std::size_t, 8> numbers) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

static_assert(are_distinct({wait::implicit_slot.number(), message::messages_slot.number(),
                            team::teams_slot.number(), rmi::endpoint_slot.number(),
                            fibers::rank_locals_slot, world_slot.number(),
                            layers::work_slot.number(), collective::engine_slot.number()}));

}  // namespace
}  // namespace armature::hosting
