#include <algorithm>
#include <string>

#include "../teams.hpp"
#include "handle.hpp"
#include "outcome.hpp"
#include "teams.hpp"

// Cobounds, and the images that cosubscripts mean (Fortran 2018, 9.6 and 16.9.97).

namespace caf::prif {
namespace {

/// The last upper cobound is what the images of the current team need.
std::int64_t upper_of(const Shape& shape, std::size_t dimension) {
  if (dimension + 1 < shape.lower.size()) return shape.upper[dimension];
  std::int64_t before = 1;
  for (std::size_t i = 0; i < dimension; ++i)
    before *= std::max<std::int64_t>(shape.upper[i] - shape.lower[i] + 1, 0);
  if (before == 0) return shape.lower[dimension] - 1;
  return shape.lower[dimension] + (image().current->size() + before - 1) / before - 1;
}

std::size_t dimension_of(const Shape& shape, int dim) {
  if (dim < 1 || static_cast<std::size_t>(dim) > shape.lower.size())
    refuse("codimension " + std::to_string(dim) + " is none of " +
           std::to_string(shape.lower.size()));
  return static_cast<std::size_t>(dim) - 1;
}

/// 0 where no image of a team of that size has these cosubscripts.
int index_of(const Shape& shape, const Array& cosubscripts, int images) {
  if (cosubscripts.count() != shape.lower.size())
    refuse(std::to_string(cosubscripts.count()) + " cosubscripts for a coarray of " +
           std::to_string(shape.lower.size()) + " codimensions");
  std::int64_t index = 0;
  std::int64_t step = 1;
  for (std::size_t i = 0; i < shape.lower.size(); ++i) {
    const std::int64_t at = cosubscripts.at<std::int64_t>(i) - shape.lower[i];
    const bool is_last = i + 1 == shape.lower.size();
    const std::int64_t extent = is_last ? INT64_MAX : shape.upper[i] - shape.lower[i] + 1;
    if (at < 0 || at >= extent) return 0;
    index += at * step;
    if (!is_last) step *= extent;
  }
  return index < images ? static_cast<int>(index) + 1 : 0;
}

std::vector<std::int64_t> cosubscripts_of(const Shape& shape, int image) {
  std::vector<std::int64_t> cosubscripts;
  std::int64_t index = image - 1;
  for (std::size_t i = 0; i < shape.lower.size(); ++i) {
    const bool is_last = i + 1 == shape.lower.size();
    const std::int64_t extent = is_last ? INT64_MAX : shape.upper[i] - shape.lower[i] + 1;
    cosubscripts.push_back(shape.lower[i] + index % extent);
    index /= extent;
  }
  return cosubscripts;
}

/// The images of a team, by their ranks.
struct Images {
  std::vector<armature::Rank> ranks;
  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
  [[nodiscard]] int in_initial_team(int image) const {
    return image == 0 ? 0 : ranks[static_cast<std::size_t>(image) - 1] + 1;
  }
};

Images images_of(const TeamOfImages& team) {
  Images images;
  for (int image = 1; image <= team.size(); ++image) images.ranks.push_back(team.rank_of(image));
  return images;
}
Images images_of(std::int64_t team_number) {
  return {ranks_in(image(), number_of_team(team_number))};
}

template <class Team>
void find_image(const Handle& handle, const Array& cosubscripts, const Team& team, bool is_initial,
                int& found) {
  const Images images = images_of(team);
  const int index = index_of(shape_of(handle), cosubscripts, images.size());
  found = is_initial ? images.in_initial_team(index) : index;
}

}  // namespace
}  // namespace caf::prif

extern "C" {

using caf::prif::Array;
using caf::prif::Handle;
using caf::prif::perform;

void _QMprifPprif_lcobound_with_dim(const Handle* handle, const int* dim, std::int64_t* bound) {
  perform("lcobound", {}, [=] {
    const caf::prif::Shape& shape = caf::prif::shape_of(*handle);
    *bound = shape.lower[caf::prif::dimension_of(shape, *dim)];
  });
}

void _QMprifPprif_lcobound_no_dim(const Handle* handle, const Array* bounds) {
  perform("lcobound", {}, [=] {
    const caf::prif::Shape& shape = caf::prif::shape_of(*handle);
    for (std::size_t i = 0; i < shape.lower.size(); ++i)
      bounds->at<std::int64_t>(i) = shape.lower[i];
  });
}

void _QMprifPprif_ucobound_with_dim(const Handle* handle, const int* dim, std::int64_t* bound) {
  perform("ucobound", {}, [=] {
    const caf::prif::Shape& shape = caf::prif::shape_of(*handle);
    *bound = caf::prif::upper_of(shape, caf::prif::dimension_of(shape, *dim));
  });
}

void _QMprifPprif_ucobound_no_dim(const Handle* handle, const Array* bounds) {
  perform("ucobound", {}, [=] {
    const caf::prif::Shape& shape = caf::prif::shape_of(*handle);
    for (std::size_t i = 0; i < shape.lower.size(); ++i)
      bounds->at<std::int64_t>(i) = caf::prif::upper_of(shape, i);
  });
}

void _QMprifPprif_coshape(const Handle* handle, const Array* sizes) {
  perform("coshape", {}, [=] {
    const caf::prif::Shape& shape = caf::prif::shape_of(*handle);
    for (std::size_t i = 0; i < shape.lower.size(); ++i)
      sizes->at<std::size_t>(i) =
          static_cast<std::size_t>(caf::prif::upper_of(shape, i) - shape.lower[i] + 1);
  });
}

void _QMprifPprif_image_index(const Handle* handle, const Array* sub, int* index) {
  perform("image_index", {},
          [=] { caf::prif::find_image(*handle, *sub, *caf::image().current, false, *index); });
}

void _QMprifPprif_image_index_with_team(const Handle* handle, const Array* sub, const Array* team,
                                        int* index) {
  perform("image_index", {},
          [=] { caf::prif::find_image(*handle, *sub, caf::prif::team_of(*team), false, *index); });
}

void _QMprifPprif_image_index_with_team_number(const Handle* handle, const Array* sub,
                                               const std::int64_t* team_number, int* index) {
  perform("image_index", {},
          [=] { caf::prif::find_image(*handle, *sub, *team_number, false, *index); });
}

void _QMprifPprif_initial_team_index(const Handle* handle, const Array* sub, int* index) {
  perform("image_index", {},
          [=] { caf::prif::find_image(*handle, *sub, *caf::image().current, true, *index); });
}

void _QMprifPprif_initial_team_index_with_team(const Handle* handle, const Array* sub,
                                               const Array* team, int* index) {
  perform("image_index", {},
          [=] { caf::prif::find_image(*handle, *sub, caf::prif::team_of(*team), true, *index); });
}

void _QMprifPprif_initial_team_index_with_team_number(const Handle* handle, const Array* sub,
                                                      const std::int64_t* team_number, int* index) {
  perform("image_index", {},
          [=] { caf::prif::find_image(*handle, *sub, *team_number, true, *index); });
}

void _QMprifPprif_this_image_with_coarray(const Handle* handle, const Array* team,
                                          const Array* cosubscripts) {
  perform("this_image", {}, [=] {
    const int me = caf::prif::team_or_current(team).team.rank() + 1;
    const std::vector<std::int64_t> found =
        caf::prif::cosubscripts_of(caf::prif::shape_of(*handle), me);
    for (std::size_t i = 0; i < found.size(); ++i) cosubscripts->at<std::int64_t>(i) = found[i];
  });
}

void _QMprifPprif_this_image_with_dim(const Handle* handle, const int* dim, const Array* team,
                                      std::int64_t* cosubscript) {
  perform("this_image", {}, [=] {
    const caf::prif::Shape& shape = caf::prif::shape_of(*handle);
    const int me = caf::prif::team_or_current(team).team.rank() + 1;
    *cosubscript = caf::prif::cosubscripts_of(shape, me)[caf::prif::dimension_of(shape, *dim)];
  });
}

}  // extern "C"
