#include "../teams.hpp"

#include <cstdlib>
#include <limits>
#include <string>

#include "../departure.hpp"
#include "../status.hpp"
#include "allocated.hpp"
#include "outcome.hpp"
#include "teams.hpp"

// Images and teams. LLVM Flang 22 hands over variables of team_type in descriptors, and so does the
// module.

namespace caf::prif {
namespace {

TeamOfImages*& held_by(const Array& variable) {
  return *static_cast<TeamOfImages**>(variable.base);
}

Level level_of(const int* level) {
  if (level == nullptr || *level == -1)
    return Level::current;  // the numbers of Flang's iso_fortran_env
  if (*level == -2) return Level::initial;
  if (*level == -3) return Level::parent;
  refuse("level " + std::to_string(*level) + " is none of initial, parent and current team");
}

void list(Array& result, const TeamOfImages& team, int status) {
  Descriptor images{};
  images.data_type.rank = 1;
  list_images(images, team, status, sizeof(int));
  const auto count = static_cast<std::size_t>(images.dimensions[0].extent());
  reallocate(result, count);
  for (std::size_t i = 0; i < count; ++i) result.at<int>(i) = static_cast<int*>(images.base)[i];
  std::free(images.base);
}

}  // namespace

TeamOfImages& team_of(const Array& variable) { return team_in(&held_by(variable)); }

TeamOfImages& team_or_current(const Array* variable) {
  return variable == nullptr || variable->base == nullptr ? *image().current : team_of(*variable);
}

int number_of_team(std::int64_t number) {
  if (number < initial_team_number || number > std::numeric_limits<int>::max())
    refuse("team number " + std::to_string(number) + " is not that of a team");
  return static_cast<int>(number);
}

}  // namespace caf::prif

extern "C" {

using caf::image;
using caf::prif::Array;
using caf::prif::perform;

void _QMprifPprif_num_images(int* count) {
  perform("num_images", {}, [=] { *count = image().current->size(); });
}

void _QMprifPprif_num_images_with_team(const Array* team, int* count) {
  perform("num_images", {}, [=] { *count = caf::prif::team_of(*team).size(); });
}

void _QMprifPprif_num_images_with_team_number(const std::int64_t* number, int* count) {
  perform("num_images", {}, [=] {
    *count = static_cast<int>(caf::ranks_in(image(), caf::prif::number_of_team(*number)).size());
  });
}

void _QMprifPprif_this_image_no_coarray(const Array* team, int* number) {
  perform("this_image", {}, [=] { *number = caf::prif::team_or_current(team).team.rank() + 1; });
}

void _QMprifPprif_failed_images(const Array* team, Array* images) {
  perform("failed_images", {}, [=] {
    caf::prif::list(*images, caf::prif::team_or_current(team), caf::stat::failed_image);
  });
}

void _QMprifPprif_stopped_images(const Array* team, Array* images) {
  perform("stopped_images", {}, [=] {
    caf::prif::list(*images, caf::prif::team_or_current(team), caf::stat::stopped_image);
  });
}

void _QMprifPprif_image_status(const int* number, const Array* team, int* status) {
  perform("image_status", {}, [=] {
    const caf::TeamOfImages& of = caf::prif::team_or_current(team);
    if (*number < 1 || *number > of.size())
      caf::refuse("image " + std::to_string(*number) + " is none of the " +
                  std::to_string(of.size()) + " images of the team");
    const int found = caf::status_of(of, *number);
    *status = found == 0                         ? 0
              : found == caf::stat::failed_image ? caf::prif::status::failed_image
                                                 : caf::prif::status::stopped_image;
  });
}

void _QMprifPprif_form_team(const std::int64_t* number, const Array* team, const int* new_index,
                            int* stat, const Array* message, Array* own_message) {
  perform("form team", {stat, message, own_message}, [=] {
    const int index = new_index == nullptr ? 0 : *new_index == 0 ? -1 : *new_index;
    caf::prif::held_by(*team) = caf::form_team(image(), *number, index);
  });
}

void _QMprifPprif_change_team(const Array* team, int* stat, const Array* message,
                              Array* own_message) {
  perform("change team", {stat, message, own_message},
          [=] { caf::change_team(image(), caf::prif::team_of(*team)); });
}

void _QMprifPprif_end_team(int* stat, const Array* message, Array* own_message) {
  perform("end team", {stat, message, own_message}, [] {
    caf::Image& me = image();
    std::exception_ptr failure;
    if (me.current->parent != nullptr) failure = caf::prif::end_allocations(*me.current);
    caf::end_team(me);
    if (failure != nullptr) std::rethrow_exception(failure);
  });
}

void _QMprifPprif_get_team(const int* level, const Array* team) {
  perform("get_team", {},
          [=] { caf::prif::held_by(*team) = &caf::team_at(image(), caf::prif::level_of(level)); });
}

void _QMprifPprif_team_number(const Array* team, std::int64_t* number) {
  perform("team_number", {}, [=] { *number = caf::prif::team_or_current(team).number; });
}

}  // extern "C"
