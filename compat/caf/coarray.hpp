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
  std::byte* mine;  // this image's part of it
  std::size_t bytes;
  Image* image;
  TeamOfImages* team;      // in which it was allocated
  Descriptor* descriptor;  // of an allocatable array; nullptr: a scalar, or of fixed bounds
  void** token;            // the variable that was given
};

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
  return {rank, at_rank(*coarray.image, coarray.mine + offset, rank)};
}

/// Returns the place of that byte at an image of the current team. Throws Refusal where there is no
/// coarray, or no such image.
[[gnu::always_inline]] inline Place place_of(const Coarray* coarray, std::size_t offset,
                                             int image_number) {
  if (coarray == nullptr) [[unlikely]]
    refuse_unallocated();
  const TeamOfImages& team = *coarray->image->current;
  if (team.parent == nullptr && image_number > 0 && image_number <= team.size()) [[likely]]
    return place_at(*coarray, offset, armature::Rank(image_number - 1));
  return place_at(*coarray, offset, rank_of_image(*coarray->image, image_number));
}

/// As place_of, and throws where the bytes are beyond the coarray's end.
[[gnu::always_inline]] inline Place place_of(const Coarray* coarray, std::size_t offset,
                                             std::size_t bytes, int image_number) {
  const Place place = place_of(coarray, offset, image_number);
  if (offset > coarray->bytes || bytes > coarray->bytes - offset) [[unlikely]]
    refuse_bytes(*coarray, offset, bytes);
  return place;
}

/// Frees the coarrays that were allocated in the team, at its end. Collective, behind a
/// synchronization.
void free_allocated(TeamOfImages& team);

/// The place of a lock, event or atomic variable; image 0 is the calling one.
[[nodiscard]] Place place_of_variable(const Coarray* coarray, std::size_t offset, std::size_t bytes,
                                      int image_number);

}  // namespace caf
