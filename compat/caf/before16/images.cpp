#include "../calls.hpp"
#include "../departure.hpp"
#include "../status.hpp"
#include "libcaf15.hpp"

// The numbers of images, and which of them are gone. All is of the current team.

namespace {

using caf::image;
using caf::insisted;

const caf::TeamOfImages& ancestor_at(int distance) {
  const caf::TeamOfImages* team = image().current;
  for (int step = 0; step < distance && team->parent != nullptr; ++step) team = team->parent;
  return *team;
}

void list(caf::Descriptor& result, int status, const int* kind) {
  caf::list_images(result, *image().current, status, kind == nullptr ? 4 : *kind);
}

}  // namespace

extern "C" {

int _gfortran_caf_this_image(int distance) {
  return insisted("this_image", [=] { return ancestor_at(distance).team.rank() + 1; });
}

int _gfortran_caf_num_images(int distance, int failed) {
  return insisted("num_images", [=] {
    const caf::TeamOfImages& team = ancestor_at(distance);
    if (failed < 0) return team.size();
    int dead = 0;
    for (int number = 1; number <= team.size(); ++number)
      if (caf::status_of(team, number) == caf::stat::failed_image) ++dead;
    return failed != 0 ? dead : team.size() - dead;
  });
}

int _gfortran_caf_image_status(int image, const void* /*team*/) {
  return insisted("image_status", [=] {
    const caf::Image& me = caf::image();
    (void)caf::rank_of_image(me, image);
    return caf::status_of(*me.current, image);
  });
}

void _gfortran_caf_failed_images(caf::Descriptor* result, const void* /*team*/, const int* kind) {
  caf::perform("failed_images", {}, [=] { list(*result, caf::stat::failed_image, kind); });
}

void _gfortran_caf_stopped_images(caf::Descriptor* result, const void* /*team*/, const int* kind) {
  caf::perform("stopped_images", {}, [=] { list(*result, caf::stat::stopped_image, kind); });
}

}  // extern "C"
