#include <string>

#include "calls.hpp"
#include "coarray.hpp"
#include "departure.hpp"
#include "libcaf.hpp"

// Teams (Fortran 2018, 11.1.5 and 11.6.9). A variable of team_type points to what its image knows
// of the team.

namespace caf {
namespace {

constexpr std::size_t team_block_bytes = std::size_t{256} << 10;

TeamOfImages& team_in(TeamOfImages* const* variable) {
  if (variable == nullptr || *variable == nullptr)
    refuse("the team variable has no team yet: FORM TEAM gives it one");
  return **variable;
}

TeamOfImages* form(Image& me, int number) {
  if (number < 1) refuse("team number " + std::to_string(number) + " is not positive");
  TeamOfImages& parent = *me.current;
  synchronize(parent);
  armature::Team team = parent.team.split(number, parent.team.rank());
  TeamOfImages& made = me.teams.emplace_back(std::move(team), number, &parent, team_block_bytes);
  made.ranks.reserve(static_cast<std::size_t>(made.size()));
  for (int member = 0; member < made.size(); ++member)
    made.ranks.push_back(made.team.world_rank(member));
  open_departures(made);
  return &made;
}

void change_to(Image& me, TeamOfImages& team) {
  if (team.parent != me.current)
    refuse("team " + std::to_string(team.number) + " was not formed by the current team");
  return_to_team(me, team);
  synchronize(team);
  enter_team(me, team);
}

void end(Image& me) {
  TeamOfImages& team = *me.current;
  if (team.parent == nullptr) refuse("no team was changed to");
  leave_team(me);
  synchronize(team);
  free_allocated(team);
  enter_team(me, *team.parent);
}

}  // namespace
}  // namespace caf

extern "C" {

void _gfortran_caf_form_team(int number, caf::TeamOfImages** team, int /*unused*/) {
  caf::perform("form team", {}, [=] { *team = caf::form(caf::image(), number); });
}

void _gfortran_caf_change_team(caf::TeamOfImages** team, int /*unused*/) {
  caf::perform("change team", {}, [=] { caf::change_to(caf::image(), caf::team_in(team)); });
}

void _gfortran_caf_end_team(caf::TeamOfImages** /*unused*/) {
  caf::perform("end team", {}, [] { caf::end(caf::image()); });
}

void _gfortran_caf_sync_team(caf::TeamOfImages** team, int /*unused*/) {
  caf::perform("sync team", {}, [=] { caf::synchronize(caf::team_in(team)); });
}

caf::TeamOfImages* _gfortran_caf_get_team(const int* /*level*/) {
  return caf::insisted("get_team", [] { return caf::image().current; });
}

int _gfortran_caf_team_number(caf::TeamOfImages* team) {
  return caf::insisted(
      "team_number", [=] { return team != nullptr ? team->number : caf::image().current->number; });
}

}  // extern "C"
