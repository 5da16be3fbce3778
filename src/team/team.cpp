#include "armature/team.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "team/team_state.hpp"

namespace armature {

using detail::TeamState;

namespace detail {
void piece_bad_index(int index, std::size_t size) {
  base::fail(Errc::bad_rank,
             size == 0
                 ? "Piece: it was freed, or never allocated"
                 : fmt::format("Piece::on: there is no member {}: the team has members 0 to {}",
                               index, size - 1));
}

void piece_no_element(std::size_t index, std::size_t size) {
  base::fail(
      Errc::bad_argument,
      fmt::format("Piece: there is no element {} among {}, which this member has", index, size));
}
}  // namespace detail

namespace {

// Errors are functions of their own, so that calls which are short when all is well stay short.
[[noreturn, gnu::cold, gnu::noinline]] void is_empty(const char* call) {
  base::fail(Errc::misuse, fmt::format("{}: this Team is empty", call));
}

// This one never returns. Its caller needs no stack for a jump to it.
[[gnu::cold, gnu::noinline]] Rank has_no_member(const TeamState* state, int member) {
  if (state == nullptr) is_empty("Team::world_rank");
  base::fail(Errc::bad_rank,
             fmt::format("Team::world_rank: there is no member {}: the team has members 0 to {}",
                         member, state->size() - 1));
}

}  // namespace

TeamState& Team::checked(const char* call) const {
  if (state_ == nullptr) [[unlikely]]
    is_empty(call);
  return *state_;
}

int Team::rank() const { return checked("Team::rank").rank(); }
int Team::size() const { return checked("Team::size").size(); }

Rank Team::world_rank(int member) const {
  const TeamState* const state = state_.get();
  const auto place = static_cast<std::uint32_t>(member);
  if (state == nullptr || place >= static_cast<std::uint32_t>(state->size())) [[unlikely]]
    return has_no_member(state, member);
  return Rank(state->members()[place]);
}

int Team::member(Rank world_rank) const { return checked("Team::member").member(world_rank); }

void Team::barrier() const {
  TeamState& team = checked("Team::barrier");
  const TeamState::Collective one_at_a_time(team, "Team::barrier");
  team.round({TeamState::Kind::barrier}, 0, "barrier");
}

}  // namespace armature
