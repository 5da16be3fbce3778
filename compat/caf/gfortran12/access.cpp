#include <cstdint>
#include <cstring>
#include <string>

#include <armature/layer/direct.hpp>

#include "../calls.hpp"
#include "../coarray.hpp"
#include "../transfer.hpp"
#include "libcaf12.hpp"

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

/// Moves what is one piece on both sides, on the node. False, and nothing is done, for all else.
template <bool is_put>
[[gnu::always_inline]] inline bool move_piece(const Coarray* token, std::size_t offset,
                                              int image_number, const Descriptor& there,
                                              int there_kind, const Descriptor& here, int here_kind,
                                              bool may_overlap) {
  if (!are_alike(there, there_kind, here, here_kind)) return false;
  const std::size_t bytes = whole_bytes(there);
  if (bytes == 0 || (there.rank() != 0 && bytes != whole_bytes(here))) return false;
  Place place{};
  if (!find_place(token, offset, bytes, image_number, place)) return false;
  if (may_overlap && place.rank == token->image->rank) return false;
  if constexpr (is_put)
    return armature::layer::put_direct(place.rank, place.address, here.base, bytes);
  else
    return armature::layer::get_direct(place.rank, here.base, place.address, bytes);
}

/// Characters of which the variable takes the first ones only: no others are read. gfortran 12
/// hands over a substring with the length of the whole element, and that may end behind the
/// coarray.
Descriptor narrowed(const Descriptor& from, const Descriptor& to) {
  Descriptor narrow = copy_of(from);
  narrow.span = span_of(from);
  narrow.data_type.element_bytes = to.data_type.element_bytes;
  return narrow;
}
bool is_cut(const Descriptor& from, int from_kind, const Descriptor& to, int to_kind) {
  return from.data_type.type == Type::character && to.data_type.type == Type::character &&
         from_kind == to_kind && to.data_type.element_bytes < from.data_type.element_bytes;
}

[[gnu::noinline]] void get_section(Coarray* token, std::size_t offset, int image_number,
                                   const Descriptor* from, const Subscripts* subscripts,
                                   const Descriptor* to, const RestOfGet& rest) {
  if (rest.stat != nullptr) *rest.stat = 0;
  if (subscripts == nullptr && move_piece<false>(token, offset, image_number, *from, rest.from_kind,
                                                 *to, rest.to_kind, rest.may_overlap))
    return;
  perform("get", {rest.stat}, [&] {
    const auto read = [&](const Descriptor& array) {
      const RemoteSection remote =
          section_at(token, offset, image_number, array, subscripts, rest.from_kind);
      get(section_of(*to, static_cast<std::byte*>(to->base)), element_of(*to, rest.to_kind), remote,
          rest.may_overlap);
    };
    is_cut(*from, rest.from_kind, *to, rest.to_kind) ? read(narrowed(*from, *to)) : read(*from);
  });
}

[[gnu::noinline]] void send_section(Coarray* token, std::size_t offset, int image_number,
                                    const Descriptor* to, const Subscripts* subscripts,
                                    const Descriptor* from, const RestOfSend& rest) {
  if (rest.stat != nullptr) *rest.stat = 0;
  if (subscripts == nullptr && rest.team == nullptr &&
      move_piece<true>(token, offset, image_number, *to, rest.to_kind, *from, rest.from_kind,
                       rest.may_overlap))
    return;
  perform("send", {rest.stat}, [&] {
    const armature::Rank rank = rank_in(token, image_number, rest.team);
    const RemoteSection remote = section_at(token, offset, rank, *to, subscripts, rest.to_kind);
    put(remote, section_of(*from, static_cast<std::byte*>(from->base)),
        element_of(*from, rest.from_kind), rest.may_overlap);
  });
}

/// Moves a scalar of one type of 4 or 8 bytes, on the node. False, and nothing is done, for all
/// else.
template <bool is_put, class Word>
[[gnu::always_inline]] inline bool move_word(const Coarray* token, std::size_t offset,
                                             int image_number, const Descriptor& here) {
  Place place{};
  if (!find_place(token, offset, sizeof(Word), image_number, place)) return false;
  if (!armature::layer::is_direct<sizeof(Word)>(place.rank, place.address)) return false;
  auto* const there = reinterpret_cast<Word*>(place.address);
  if constexpr (is_put)
    armature::layer::store(there, *static_cast<const Word*>(here.base));
  else
    *static_cast<Word*>(here.base) = armature::layer::load(there);
  return true;
}
template <bool is_put>
[[gnu::always_inline]] inline bool move_scalar(const Coarray* token, std::size_t offset,
                                               int image_number, const Descriptor& there,
                                               const Descriptor& here) {
  static_assert(sizeof(DataType) == 16);
  std::uint64_t of_there[2];
  std::uint64_t of_here[2];
  std::memcpy(of_there, &there.data_type, sizeof of_there);
  std::memcpy(of_here, &here.data_type, sizeof of_here);
  if (of_there[0] != of_here[0] || of_there[1] != of_here[1] || there.rank() != 0) return false;
  using Word4 [[gnu::may_alias]] = std::uint32_t;
  using Word8 [[gnu::may_alias]] = std::uint64_t;
  if (of_there[0] == 8) return move_word<is_put, Word8>(token, offset, image_number, here);
  return of_there[0] == 4 && move_word<is_put, Word4>(token, offset, image_number, here);
}

/// One comparison for all of them.
template <class... T>
[[gnu::always_inline]] inline bool are_null(const T*... pointers) {
  return (... | reinterpret_cast<std::uintptr_t>(pointers)) == 0;
}

[[gnu::always_inline]] inline void get_any(Coarray* token, std::size_t offset, int image_number,
                                           const Descriptor* from, const Subscripts* subscripts,
                                           const Descriptor* to, const RestOfGet& rest) {
  if (!are_null(subscripts, rest.stat) || rest.from_kind != rest.to_kind) [[unlikely]]
    return get_section(token, offset, image_number, from, subscripts, to, rest);
  if (!move_scalar<false>(token, offset, image_number, *from, *to)) [[unlikely]]
    get_section(token, offset, image_number, from, nullptr, to, rest);
}

[[gnu::always_inline]] inline void send_any(Coarray* token, std::size_t offset, int image_number,
                                            const Descriptor* to, const Subscripts* subscripts,
                                            const Descriptor* from, const RestOfSend& rest) {
  if (!are_null(subscripts, rest.team, rest.stat) || rest.from_kind != rest.to_kind) [[unlikely]]
    return send_section(token, offset, image_number, to, subscripts, from, rest);
  if (!move_scalar<true>(token, offset, image_number, *to, *from)) [[unlikely]]
    send_section(token, offset, image_number, to, nullptr, from, rest);
}

}  // namespace
}  // namespace caf

extern "C" {

#if defined(__x86_64__)
void _gfortran_caf_get(caf::Coarray* token, std::size_t offset, int image,
                       const caf::Descriptor* from, const caf::Subscripts* subscripts,
                       const caf::Descriptor* to, caf::RestOfGet rest) {
  caf::get_any(token, offset, image, from, subscripts, to, rest);
}

void _gfortran_caf_send(caf::Coarray* token, std::size_t offset, int image,
                        const caf::Descriptor* to, const caf::Subscripts* subscripts,
                        const caf::Descriptor* from, caf::RestOfSend rest) {
  caf::send_any(token, offset, image, to, subscripts, from, rest);
}
#else
void _gfortran_caf_get(caf::Coarray* token, std::size_t offset, int image,
                       const caf::Descriptor* from, const caf::Subscripts* subscripts,
                       const caf::Descriptor* to, int from_kind, int to_kind, bool may_overlap,
                       int* stat) {
  caf::get_any(token, offset, image, from, subscripts, to, {from_kind, to_kind, may_overlap, stat});
}

void _gfortran_caf_send(caf::Coarray* token, std::size_t offset, int image,
                        const caf::Descriptor* to, const caf::Subscripts* subscripts,
                        const caf::Descriptor* from, int to_kind, int from_kind, bool may_overlap,
                        int* stat, caf::TeamOfImages* const* team) {
  caf::send_any(token, offset, image, to, subscripts, from,
                {to_kind, from_kind, may_overlap, stat, team});
}
#endif

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
