#pragma once

#include <cstddef>
#include <string>

#include <armature/global_ptr.hpp>

#include "calls.hpp"
#include "descriptor.hpp"
#include "image.hpp"

namespace caf {

/// A coarray, as one image knows it: the compiler's token.
struct Coarray {
  std::byte* first;  // rank 0's part of it, were it in the team
  std::ptrdiff_t stride;
  std::size_t bytes;
  Image* image;
  std::byte* mine;          // this image's part
  TeamOfImages* team;       // in which it was allocated
  Descriptor* descriptor;   // of an allocatable array; nullptr: a scalar, or of fixed bounds
  void** token;             // the variable that was given
  void** scalar = nullptr;  // the address in the variable of an allocatable scalar
  bool has_bounds = false;
  bool is_associated = false;  // another one's memory
  Descriptor bounds{};         // with has_bounds, and from then on in the place of `descriptor`
  armature::Rank holder =
      -1;  // the only rank that has it: the data of an accessor; -1: all have it
};

/// The bounds of an allocatable array; nullptr: a scalar, or of fixed bounds.
[[nodiscard]] inline const Descriptor* bounds_of(const Coarray& coarray) {
  return coarray.has_bounds ? &coarray.bounds : coarray.descriptor;
}

/// Makes a coarray in the current team. Collective. It is at `*token`, and its memory is at the
/// base of `of`; both variables are cleared when it ends with its team.
void allocate_coarray(Image& me, void** token, Descriptor& of, std::size_t bytes);
/// Collective.
void free_coarray(void** token, Coarray* coarray);

/// Keeps the bounds of what was allocated since the last call. The compiler writes them when the
/// memory is there, and synchronizes at the end of the statement. Later the variable may be another
/// one's, by move_alloc, or gone.
void keep_bounds(Image& me);
/// Both around a synchronization of the current team behind a statement that allocates arrays. The
/// second throws Refusal where the next image has allocated another number of bytes: the standard
/// wants the same bounds at all (Fortran 2018, 9.7.1.2).
void tell_allocations(TeamOfImages& team);
void compare_allocations(const Image& me, const TeamOfImages& team);

[[noreturn]] void refuse_unallocated();
[[noreturn]] void refuse_bytes(const Coarray& coarray, std::size_t offset, std::size_t bytes);

/// A place in a coarray at an image.
struct Place {
  armature::Rank rank;
  std::byte* address;

  template <class T>
  [[nodiscard]] armature::global_ptr<T> as() const {
    return {rank, reinterpret_cast<T*>(address)};
  }
};

[[gnu::always_inline]] inline Place place_at(const Coarray& coarray, std::size_t offset,
                                             armature::Rank rank) {
  return {rank, coarray.first + std::ptrdiff_t{rank} * coarray.stride + offset};
}

/// Returns the place of that byte at an image of the current team. Throws Refusal where there is no
/// coarray, or no such image.
[[nodiscard]] inline Place place_of(const Coarray* coarray, std::size_t offset, int image_number) {
  if (coarray == nullptr) [[unlikely]]
    refuse_unallocated();
  return place_at(*coarray, offset, rank_of_image(*coarray->image, image_number));
}

/// Finds the place of so many bytes at an image of the current team. False where there is none:
/// place_of, and section_at of access.cpp, say what is wrong.
[[gnu::always_inline, nodiscard]] inline bool find_place(const Coarray* coarray, std::size_t offset,
                                                         std::size_t bytes, int image_number,
                                                         Place& place) {
  std::size_t end;
  if (coarray == nullptr || __builtin_add_overflow(offset, bytes, &end) || end > coarray->bytes)
    return false;
  const Image& me = *coarray->image;
  const std::uint32_t index = static_cast<std::uint32_t>(image_number) - 1;
  if (index >= static_cast<std::uint32_t>(me.images)) return false;
  const auto rank = me.ranks == nullptr ? static_cast<armature::Rank>(index) : me.ranks[index];
  place = place_at(*coarray, offset, rank);
  return true;
}

/// Frees the coarrays that were allocated in the team, at its end. Collective, behind a
/// synchronization.
void free_allocated(TeamOfImages& team);

/// The place of a lock, event or atomic variable; image 0 is the calling one.
[[nodiscard]] Place place_of_variable(const Coarray* coarray, std::size_t offset, std::size_t bytes,
                                      int image_number);

}  // namespace caf
