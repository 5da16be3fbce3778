#include "../teams.hpp"

#include <string>

#include "../calls.hpp"
#include "../departure.hpp"
#include "libcaf16.hpp"

namespace {

using caf::image;
using caf::perform;

caf::Level level_of(int level) {
  if (level < 0 || level > 2)
    caf::refuse("level " + std::to_string(level) +
                " is none of initial_team, parent_team and current_team");
  return static_cast<caf::Level>(level);
}

}  // namespace

extern "C" {

void _gfortran_caf_form_team(int number, caf::TeamOfImages** team, const int* new_index, int* stat,
                             char* message, std::size_t message_bytes) {
  perform("form team", {stat, message, message_bytes}, [=] {
    // An index of 0 is none, and is told from one that is not given.
    const int index = new_index == nullptr ? 0 : *new_index == 0 ? -1 : *new_index;
    *team = caf::form_team(image(), number, index);
  });
}

void _gfortran_caf_change_team(caf::TeamOfImages* team, int* stat, char* message,
                               std::size_t message_bytes) {
  perform("change team", {stat, message, message_bytes},
          [=] { caf::change_team(image(), caf::team_in(&team)); });
}

void _gfortran_caf_end_team(int* stat, char* message, std::size_t message_bytes) {
  perform("end team", {stat, message, message_bytes}, [] { caf::end_team(image()); });
}

void _gfortran_caf_sync_team(caf::TeamOfImages* team, int* stat, char* message,
                             std::size_t message_bytes) {
  perform("sync team", {stat, message, message_bytes},
          [=] { caf::synchronize(caf::team_in(&team)); });
}

caf::TeamOfImages* _gfortran_caf_get_team(const int* level) {
  return caf::insisted("get_team", [=] {
    return &caf::team_at(image(), level == nullptr ? caf::Level::current : level_of(*level));
  });
}

int _gfortran_caf_team_number(const caf::TeamOfImages* team) {
  return caf::insisted("team_number",
                       [=] { return team != nullptr ? team->number : image().current->number; });
}

}  // extern "C"
