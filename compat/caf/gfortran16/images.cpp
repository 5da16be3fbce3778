#include <string>

#include "../calls.hpp"
#include "../departure.hpp"
#include "../status.hpp"
#include "../teams.hpp"
#include "libcaf16.hpp"

// The numbers of images, and which of them are gone.

namespace {

using caf::image;
using caf::insisted;

const caf::TeamOfImages& team_or_current(const caf::TeamOfImages* team) {
  return team != nullptr ? *team : *image().current;
}

const caf::TeamOfImages& team_of(caf::TeamOfImages* const* variable) {
  return variable != nullptr ? caf::team_in(variable) : *image().current;
}

void list(caf::Descriptor& result, caf::TeamOfImages* const* team, int status, const int* kind) {
  caf::list_images(result, team_of(team), status, kind == nullptr ? 4 : *kind);
}

}  // namespace

extern "C" {

int _gfortran_caf_this_image(const caf::TeamOfImages* team) {
  return insisted("this_image", [=] { return team_or_current(team).team.rank() + 1; });
}

int _gfortran_caf_num_images(const caf::TeamOfImages* team, const int* team_number) {
  return insisted("num_images", [=] {
    if (team == nullptr && team_number != nullptr)
      return static_cast<int>(caf::ranks_in(image(), *team_number).size());
    return team_or_current(team).size();
  });
}

int _gfortran_caf_image_status(int image, caf::TeamOfImages* const* team) {
  return insisted("image_status", [=] {
    const caf::TeamOfImages& of = team_of(team);
    if (image < 1 || image > of.size())
      caf::refuse("image " + std::to_string(image) + " is none of the " +
                  std::to_string(of.size()) + " images of the team");
    return caf::status_of(of, image);
  });
}

void _gfortran_caf_failed_images(caf::Descriptor* result, caf::TeamOfImages* const* team,
                                 const int* kind) {
  caf::perform("failed_images", {}, [=] { list(*result, team, caf::stat::failed_image, kind); });
}

void _gfortran_caf_stopped_images(caf::Descriptor* result, caf::TeamOfImages* const* team,
                                  const int* kind) {
  caf::perform("stopped_images", {}, [=] { list(*result, team, caf::stat::stopped_image, kind); });
}

}  // extern "C"
