#include "harness/team_on_two_nodes.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "team/team_records.hpp"

namespace armature::harness {
TeamOnTwoNodes::TeamOnTwoNodes() : net_(TwoNodes::with(team::service)) {
  net_.mapping().header().settings.on_death = space::OnDeath::go_on;
  team::teams_slot.put(net_.context().slots, &teams_);
}

std::shared_ptr<detail::TeamState> TeamOnTwoNodes::make(
    std::initializer_list<std::int32_t> members) {
  space::AddressSpace::Failure failure;
  const std::size_t bytes = space::TeamBlock::bytes(members.size());
  auto* const block = new (net_.space().allocate_sparse(bytes, failure)) space::TeamBlock;
  block->id = id;
  block->size = static_cast<std::uint32_t>(members.size());
  block->users = 1;
  std::copy(members.begin(), members.end(), block->ranks());
  constexpr std::array<std::int32_t, 3> makers{0, 1, 2};
  return std::make_shared<detail::TeamState>(net_.space(), *block, 0, makers);
}

void TeamOnTwoNodes::enter_first_round(detail::TeamState& team) {
  team.round({detail::TeamState::Kind::barrier}, 0, "barrier");
}

void TeamOnTwoNodes::say_round(std::uint64_t round) {
  net_.peer.say(team::Kind::round, 1, team::RoundRecord{id, 1, round, 0, 0, 0, {}});
}

void TeamOnTwoNodes::say_given_up(std::uint64_t round) {
  say_round(round | space::MemberLine::gave_up);
}

void TeamOnTwoNodes::say_wave(std::uint64_t wave) {
  net_.peer.say(team::Kind::wave, 1, team::WaveRecord{id, 1, wave, 0, 0, {}});
}

void TeamOnTwoNodes::lose_rank_2() {
  net_.mapping().slot(2).life = space::Life::dead;
  net_.mapping().header().gone.deaths = 1;
}

}  // namespace armature::harness
