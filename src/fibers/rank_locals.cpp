#include "fibers/rank_locals.hpp"

#include <memory>
#include <unordered_map>

#include "armature/rank_local.hpp"

namespace armature {
namespace {

struct Value {
  void* value;
  void (*destroy)(void*) noexcept;
};
using Values = std::unordered_map<const void*, Value>;

constexpr wait::ContextSlot<Values> values_slot{fibers::rank_locals_slot};

}  // namespace

void* detail::rank_local(const void* variable, const RankLocalType& type) {
  wait::RankContext& me = wait::this_rank("rank_local");
  if (values_slot.in(me.slots) == nullptr) values_slot.put(me.slots, new Values);
  Values& values = *values_slot.in(me.slots);
  if (const auto found = values.find(variable); found != values.end()) return found->second.value;
  void* const made = type.make(variable);  // which may use others, and wait
  const auto [place, is_ours] = values.emplace(variable, Value{made, type.destroy});
  void* const value = place->second.value;
  if (!is_ours) type.destroy(made);  // another call has made it meanwhile
  return value;
}

const void* fibers::rank_local_of(const wait::RankContext& rank, const void* variable) {
  const Values* const values = values_slot.in(rank.slots);
  if (values == nullptr) return nullptr;
  const auto found = values->find(variable);
  return found != values->end() ? found->second.value : nullptr;
}

void fibers::end_rank_locals(wait::RankContext& me) noexcept {
  // Ending one may use another, and that one this one again: as often as pthread keys end.
  for (int round = 0; round < 4 && values_slot.in(me.slots) != nullptr; ++round) {
    const std::unique_ptr<Values> values(values_slot.in(me.slots));
    values_slot.put(me.slots, nullptr);
    for (const auto& [variable, value] : *values) value.destroy(value.value);
  }
  values_slot.put(me.slots, nullptr);
}

}  // namespace armature
