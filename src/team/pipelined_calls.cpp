#include "team/pipelined_calls.hpp"

#include <cstring>

namespace armature::team {

using detail::TeamState;

namespace {

/// The block of that member in what a root gathers or scatters.
template <class Byte>
Byte* block_of(Byte* all, int member, const Agreed& agreed) {
  return all + static_cast<std::size_t>(member) * agreed.bytes;
}

/// Bytes of none may have no place.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

void broadcast_pipelined(TeamState& team, const Agreed& agreed, std::byte* buffer) {
  PipelinedRound round(team, agreed, "broadcast", agreed.bytes);
  const bool is_root = team.rank() == agreed.root;
  if (is_root) copy_bytes(round.room(team.rank()), buffer, agreed.bytes);
  round.enter();
  if (is_root) return round.notify_all();
  copy_bytes(buffer, round.await(agreed.root), agreed.bytes);
}

void gather_pipelined(TeamState& team, const Agreed& agreed, const std::byte* mine,
                      std::byte* all) {
  PipelinedRound round(team, agreed, "gather", agreed.bytes);
  copy_bytes(round.room(team.rank()), mine, agreed.bytes);
  round.enter();
  if (team.rank() != agreed.root) return round.notify(agreed.root);
  for (int member = 0; member < team.size(); ++member)
    copy_bytes(block_of(all, member, agreed), round.await(member), agreed.bytes);
}

// The root lays the blocks into the lines of whom they are for, who show nothing themselves. Its
// own line orders them: they are there before it has entered.
void scatter_pipelined(TeamState& team, const Agreed& agreed, const std::byte* all,
                       std::byte* mine) {
  PipelinedRound round(team, agreed, "scatter", agreed.bytes);
  const bool is_root = team.rank() == agreed.root;
  for (int member = 0; is_root && member < team.size(); ++member)
    copy_bytes(round.room(member), block_of(all, member, agreed), agreed.bytes);
  round.enter();
  is_root ? round.notify_all() : static_cast<void>(round.await(agreed.root));
  copy_bytes(mine, round.own(), agreed.bytes);
}

}  // namespace armature::team
