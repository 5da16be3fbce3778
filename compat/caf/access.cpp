#include <string>

#include <armature/layer/direct.hpp>

#include "calls.hpp"
#include "coarray.hpp"
#include "libcaf.hpp"
#include "transfer.hpp"

// References to coarrays as `a(1:3)[2]`, read and written. A scalar or a row of the same type is
// copied at once; all else is a section.

namespace caf {
namespace {

/// The bytes of what is one piece in memory; 0 otherwise.
[[gnu::always_inline]] inline std::size_t whole_bytes(const Descriptor& array) {
  const std::size_t element = array.data_type.element_bytes;
  if (array.rank() == 0) return element;
  const Dimension& dimension = array.dimensions[0];
  if (array.rank() != 1 || dimension.stride != 1 ||
      array.span != static_cast<std::ptrdiff_t>(element))
    return 0;
  return static_cast<std::size_t>(dimension.extent()) * element;
}

/// Whether both are one piece of the same length and type.
[[gnu::always_inline]] inline bool are_alike(const Descriptor& a, int a_kind, const Descriptor& b,
                                             int b_kind) {
  return a.data_type.type == b.data_type.type && a_kind == b_kind &&
         a.data_type.element_bytes == b.data_type.element_bytes && a.rank() == b.rank();
}

RemoteSection section_at(const Coarray* coarray, std::size_t offset, armature::Rank rank,
                         const Descriptor& array, const Subscripts* subscripts, int kind) {
  const ElementType type = element_of(array, kind);
  Section section = section_of(array, coarray->mine + offset, subscripts);
  const Extent extent = extent_of(section, type.bytes);
  if (extent.bytes > 0 && (extent.begin < coarray->mine ||
                           extent.begin + extent.bytes > coarray->mine + coarray->bytes))
    refuse_bytes(*coarray, static_cast<std::size_t>(extent.begin - coarray->mine), extent.bytes);
  section.move(at_rank(*coarray->image, section.begin(), rank) - section.begin());
  return {rank, section, type};
}

RemoteSection section_at(const Coarray* coarray, std::size_t offset, int image_number,
                         const Descriptor& array, const Subscripts* subscripts, int kind) {
  const Place place = place_of(coarray, offset, image_number);
  return section_at(coarray, offset, place.rank, array, subscripts, kind);
}

/// The rank that `[image, team=...]` means, which may be of another team than the current one.
armature::Rank rank_in(const Coarray* coarray, int image_number, TeamOfImages* const* team) {
  if (coarray == nullptr) refuse_unallocated();
  if (team == nullptr || *team == nullptr) return rank_of_image(*coarray->image, image_number);
  if (image_number < 1 || image_number > (*team)->size())
    refuse("image " + std::to_string(image_number) + " is none of the " +
           std::to_string((*team)->size()) + " images of the team");
  return (*team)->rank_of(image_number);
}

[[gnu::noinline]] void get_section(const Coarray* token, std::size_t offset, int image_number,
                                   const Descriptor& from, const Subscripts* subscripts,
                                   const Descriptor& to, int from_kind, int to_kind,
                                   bool may_overlap) {
  const RemoteSection remote = section_at(token, offset, image_number, from, subscripts, from_kind);
  get(section_of(to, static_cast<std::byte*>(to.base)), element_of(to, to_kind), remote,
      may_overlap);
}

}  // namespace
}  // namespace caf

extern "C" {

void _gfortran_caf_get(caf::Coarray* token, std::size_t offset, int image,
                       const caf::Descriptor* from, const caf::Subscripts* subscripts,
                       const caf::Descriptor* to, int from_kind, int to_kind, bool may_overlap,
                       int* stat) {
  caf::perform("get", {stat}, [=] {
    if (subscripts == nullptr && caf::are_alike(*from, from_kind, *to, to_kind)) {
      const std::size_t bytes = caf::whole_bytes(*from);
      if (bytes != 0 && bytes == caf::whole_bytes(*to)) {
        const caf::Place place = caf::place_of(token, offset, bytes, image);
        const bool is_apart = !may_overlap || place.rank != token->image->rank;
        if (is_apart && armature::layer::get_direct(place.rank, to->base, place.address, bytes))
          return;
      }
    }
    caf::get_section(token, offset, image, *from, subscripts, *to, from_kind, to_kind, may_overlap);
  });
}

void _gfortran_caf_send(caf::Coarray* token, std::size_t offset, int image,
                        const caf::Descriptor* to, const caf::Subscripts* subscripts,
                        const caf::Descriptor* from, int to_kind, int from_kind, bool may_overlap,
                        int* stat, caf::TeamOfImages* const* team) {
  caf::perform("send", {stat}, [=] {
    if (subscripts == nullptr && team == nullptr &&
        caf::are_alike(*to, to_kind, *from, from_kind)) {
      const std::size_t bytes = caf::whole_bytes(*to);
      if (bytes != 0 && bytes == caf::whole_bytes(*from)) {
        const caf::Place place = caf::place_of(token, offset, bytes, image);
        const bool is_apart = !may_overlap || place.rank != token->image->rank;
        if (is_apart && armature::layer::put_direct(place.rank, place.address, from->base, bytes))
          return;
      }
    }
    const armature::Rank rank = caf::rank_in(token, image, team);
    const caf::RemoteSection remote =
        caf::section_at(token, offset, rank, *to, subscripts, to_kind);
    caf::put(remote, caf::section_of(*from, static_cast<std::byte*>(from->base)),
             caf::element_of(*from, from_kind), may_overlap);
  });
}

void _gfortran_caf_sendget(caf::Coarray* to_token, std::size_t to_offset, int to_image,
                           const caf::Descriptor* to, const caf::Subscripts* to_subscripts,
                           caf::Coarray* from_token, std::size_t from_offset, int from_image,
                           const caf::Descriptor* from, const caf::Subscripts* from_subscripts,
                           int to_kind, int from_kind, bool /*may_overlap*/, int* stat) {
  caf::perform("send of another image's", {stat}, [=] {
    caf::get_and_put(
        caf::section_at(to_token, to_offset, to_image, *to, to_subscripts, to_kind),
        caf::section_at(from_token, from_offset, from_image, *from, from_subscripts, from_kind));
  });
}

}  // extern "C"
