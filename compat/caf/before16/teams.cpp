#include "../teams.hpp"

#include "../calls.hpp"
#include "../departure.hpp"
#include "libcaf15.hpp"

namespace {

/// The team that an argument means: none is the current one. Programs with an interface of their
/// own for this function pass the address of a variable of team_type instead, and one that has no
/// team yet stands for the current one.
const caf::TeamOfImages& team_meant(const caf::Image& me, const void* given) {
  if (given == nullptr) return *me.current;
  if (caf::is_team(me, given)) return *static_cast<const caf::TeamOfImages*>(given);
  const void* const held = *static_cast<const void* const*>(given);
  return caf::is_team(me, held) ? *static_cast<const caf::TeamOfImages*>(held) : *me.current;
}

}  // namespace

extern "C" {

void _gfortran_caf_form_team(int number, caf::TeamOfImages** team, int /*unused*/) {
  caf::perform("form team", {}, [=] { *team = caf::form_team(caf::image(), number, 0); });
}

void _gfortran_caf_change_team(caf::TeamOfImages** team, int /*unused*/) {
  caf::perform("change team", {}, [=] { caf::change_team(caf::image(), caf::team_in(team)); });
}

void _gfortran_caf_end_team(caf::TeamOfImages** /*unused*/) {
  caf::perform("end team", {}, [] { caf::end_team(caf::image()); });
}

void _gfortran_caf_sync_team(caf::TeamOfImages** team, int /*unused*/) {
  caf::perform("sync team", {}, [=] { caf::synchronize(caf::team_in(team)); });
}

caf::TeamOfImages* _gfortran_caf_get_team(const int* /*level*/) {
  return caf::insisted("get_team", [] { return caf::image().current; });
}

int _gfortran_caf_team_number(caf::TeamOfImages* team) {
  return caf::insisted("team_number", [=] { return team_meant(caf::image(), team).number; });
}

}  // extern "C"
