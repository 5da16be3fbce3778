#include "virtual/rank_locals.hpp"

#include <memory>
#include <unordered_map>
#include <utility>

#include "armature/rank_local.hpp"

namespace armature {
namespace {

struct Value {
  void* value;
  void (*destroy)(void*) noexcept;
};
using Values = std::unordered_map<const void*, Value>;

}  // namespace

void* detail::rank_local(const void* variable, const RankLocalType& type) {
  wait::RankContext& me = wait::this_rank("rank_local");
  if (me.locals == nullptr) me.locals = new Values;
  auto& values = *static_cast<Values*>(me.locals);
  if (const auto found = values.find(variable); found != values.end()) return found->second.value;
  void* const made = type.make(variable);  // which may use others, and wait
  const auto [place, is_ours] = values.emplace(variable, Value{made, type.destroy});
  void* const value = place->second.value;
  if (!is_ours) type.destroy(made);  // another call has made it meanwhile
  return value;
}

void fibers::end_rank_locals(wait::RankContext& me) noexcept {
  // Ending one may use another, and that one this one again: as often as pthread keys end.
  for (int round = 0; round < 4 && me.locals != nullptr; ++round) {
    const std::unique_ptr<Values> values(static_cast<Values*>(std::exchange(me.locals, nullptr)));
    for (const auto& [variable, value] : *values) value.destroy(value.value);
  }
  me.locals = nullptr;
}

}  // namespace armature
