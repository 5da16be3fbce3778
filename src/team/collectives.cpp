// Collectives as rounds of a team: everyone shows a piece, everyone takes what it needs. Long data
// go in pieces of what a round can show.
#include <cstring>

#include <fmt/format.h>

#include "armature/team.hpp"
#include "base/fail.hpp"
#include "team/pieces.hpp"
#include "team/team_state.hpp"

namespace armature {

using detail::in_pieces;
using detail::require_root;
using detail::TeamState;
using Kind = detail::TeamState::Kind;
using Agreed = detail::TeamState::Agreed;

void Team::broadcast_bytes(void* data, std::size_t bytes, int root) const {
  TeamState& team = checked("Team::broadcast");
  const TeamState::Collective one_at_a_time(team, "Team::broadcast");
  require_root(team, root, "broadcast");
  auto* buffer = static_cast<std::byte*>(data);
  in_pieces(bytes, TeamState::bytes_max, [&](std::size_t at, std::size_t n) {
    const bool mine = team.rank() == root;
    if (mine && n > 0) std::memcpy(team.outgoing(n), buffer + at, n);
    team.round({Kind::broadcast, bytes, root}, mine ? n : 0, "broadcast");
    if (!mine && n > 0) std::memcpy(buffer + at, team.incoming(root, n), n);
  });
}

namespace {

/// Everyone shows all of `mine`; take(member, offset, piece, from) is called for each member.
template <class Take>
void show_all(TeamState& team, const void* mine, const Agreed& agreed, const char* call,
              Take&& take) {
  in_pieces(agreed.bytes, TeamState::bytes_max, [&](std::size_t at, std::size_t n) {
    if (n > 0) std::memcpy(team.outgoing(n), static_cast<const std::byte*>(mine) + at, n);
    team.round(agreed, n, call);
    if (n == 0) return;
    for (int i = 0; i < team.size(); ++i)
      take(static_cast<std::size_t>(i), at, n, team.incoming(i, n));
  });
}

}  // namespace

void Team::allgather_bytes(const void* mine, std::size_t bytes, void* all) const {
  TeamState& team = checked("Team::allgather");
  const TeamState::Collective one_at_a_time(team, "Team::allgather");
  auto* out = static_cast<std::byte*>(all);
  show_all(team, mine, {Kind::allgather, bytes}, "allgather",
           [&](std::size_t member, std::size_t at, std::size_t n, const std::byte* from) {
             std::memcpy(out + member * bytes + at, from, n);
           });
}

void Team::gather_bytes(const void* mine, std::size_t bytes, void* all, int root) const {
  TeamState& team = checked("Team::gather");
  const TeamState::Collective one_at_a_time(team, "Team::gather");
  require_root(team, root, "gather");
  auto* out = static_cast<std::byte*>(all);
  show_all(team, mine, {Kind::gather, bytes, root}, "gather",
           [&](std::size_t member, std::size_t at, std::size_t n, const std::byte* from) {
             if (team.rank() == root) std::memcpy(out + member * bytes + at, from, n);
           });
}

namespace {

/// How much of each block a round can show that shows a piece of every member's.
std::size_t block_piece(std::size_t members, const char* call) {
  if (members > TeamState::bytes_max)
    base::fail(Errc::bad_argument, fmt::format("Team::{}: teams of more than {} are not supported",
                                               call, TeamState::bytes_max));
  return TeamState::bytes_max / members;
}

/// Shows a piece of every block, for each member one.
void show_blocks(TeamState& team, const void* blocks, std::size_t block_bytes, std::size_t at,
                 std::size_t n) {
  const auto size = static_cast<std::size_t>(team.size());
  if (n == 0) return;
  std::byte* const show = team.outgoing(n * size);
  for (std::size_t i = 0; i < size; ++i)
    std::memcpy(show + i * n, static_cast<const std::byte*>(blocks) + i * block_bytes + at, n);
}

}  // namespace

void Team::scatter_bytes(const void* all, std::size_t block_bytes, void* mine, int root) const {
  TeamState& team = checked("Team::scatter");
  const TeamState::Collective one_at_a_time(team, "Team::scatter");
  require_root(team, root, "scatter");
  const auto size = static_cast<std::size_t>(team.size());
  const auto me = static_cast<std::size_t>(team.rank());
  auto* out = static_cast<std::byte*>(mine);
  in_pieces(block_bytes, block_piece(size, "scatter"), [&](std::size_t at, std::size_t n) {
    const bool shows = team.rank() == root;
    if (shows) show_blocks(team, all, block_bytes, at, n);
    team.round({Kind::scatter, block_bytes, root}, shows ? n * size : 0, "scatter");
    if (n > 0) std::memcpy(out + at, team.incoming(root, n * size) + me * n, n);
  });
}

void Team::alltoall_bytes(const void* mine, std::size_t block_bytes, void* all) const {
  TeamState& team = checked("Team::alltoall");
  const TeamState::Collective one_at_a_time(team, "Team::alltoall");
  const auto size = static_cast<std::size_t>(team.size());
  const auto me = static_cast<std::size_t>(team.rank());
  auto* out = static_cast<std::byte*>(all);
  in_pieces(block_bytes, block_piece(size, "alltoall"), [&](std::size_t at, std::size_t n) {
    show_blocks(team, mine, block_bytes, at, n);
    team.round({Kind::alltoall, block_bytes}, n * size, "alltoall");
    for (std::size_t i = 0; n > 0 && i < size; ++i)
      std::memcpy(out + i * block_bytes + at, team.incoming(static_cast<int>(i), n * size) + me * n,
                  n);
  });
}

}  // namespace armature
