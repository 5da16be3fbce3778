// Reductions that block, between nodes (team/by_messages.hpp).
#include <cstddef>
#include <utility>

#include "armature/error.hpp"
#include "collective/call.hpp"
#include "team/by_messages.hpp"
#include "team/team_state.hpp"

namespace armature::team {

using collective::Call;
using collective::Operator;

namespace {

/// The operator stays the caller's.
Operator lent(const detail::Reduction& reduction) {
  return {reduction.element_bytes, reduction.combine, {reduction.op, [](void* /*lent*/) {}}};
}

/// A member that has not got what it needs enters no further round: the others do not wait for it.
void run(const Team& team, Call& call, collective::Buffers buffers,
         const detail::Reduction& reduction) {
  try {
    call.run(std::move(buffers), lent(reduction));
  } catch (const Error& error) {
    if (error.code() == Errc::rank_lost) team.state()->give_up();
    throw;
  }
}

}  // namespace

bool goes_by_messages(const detail::TeamState& team, std::size_t bytes) {
  // Shorter ones are sooner over by rounds, though more travels. Between two members no more does.
  constexpr std::size_t by_messages_min = 64 * 1024, of_two_min = 256 * 1024;
  return team.proxy().is_far() && bytes >= (team.size() > 2 ? by_messages_min : of_two_min);
}

void refuse_by_messages(const Team& team, const char* call) {
  collective::this_engine(call).refuse(team, Errc::rank_lost);
}

void allreduce_by_messages(const Team& team, void* data, const detail::Reduction& reduction) {
  Call call(team, "allreduce");
  allreduce_by_halving(call.schedule(), call.members(), {reduction.count, reduction.element_bytes});
  run(team, call, {data, data}, reduction);
}

void reduce_by_messages(const Team& team, void* data, const detail::Reduction& reduction,
                        int root) {
  Call call(team, "reduce");
  reduce_by_tree(call.schedule(), call.members(), root, {reduction.count, reduction.element_bytes});
  run(team, call, {data, data}, reduction);
}

void scan_by_messages(const Team& team, void* data, const detail::Reduction& reduction,
                      const void* first) {
  Call call(team, first == nullptr ? "scan" : "exclusive_scan");
  collective::Buffers buffers{data, data};
  if (first != nullptr) {
    const auto* const bytes = static_cast<const std::byte*>(first);
    buffers.first.assign(bytes, bytes + reduction.element_bytes);
  }
  scan(call.schedule(), call.members(),
       first == nullptr ? collective::Prefix::inclusive : collective::Prefix::exclusive,
       {reduction.count, reduction.element_bytes});
  run(team, call, std::move(buffers), reduction);
}

}  // namespace armature::team
