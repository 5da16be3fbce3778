#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <armature/rank.hpp>

#include "../coarray.hpp"
#include "../descriptor.hpp"

// Calls of the program's accessors. On a node they run at the image that refers to another one,
// whose memory is mapped there. Elsewhere they run at the image that has the coarray, since a
// component may lie anywhere in its memory, and values travel side by side.
//
// The data of an accessor are a coarray for it: arrays of them whose length the compiler does not
// know are read by a reference of their own, to the image that refers.

namespace caf {

/// One reference to another image.
struct Access {
  Coarray* token;
  armature::Rank rank;
  int image;                     // as the program has it
  const Descriptor* descriptor;  // the coarray's, or null
  int accessor;
  void* data;
  std::size_t data_bytes;
};

/// Throws Refusal where there is no coarray, no such team or no such image. At most one of `team`
/// and `team_number` is not null.
[[nodiscard]] armature::Rank rank_meant(const Coarray* token, int image, TeamOfImages* const* team,
                                        const int* team_number);

/// The result of a read: a scalar, or an array.
struct Value {
  std::size_t length = 0;  // of characters
  void* scalar = nullptr;
  Descriptor array{};
  std::vector<std::byte> bytes = {};  // that have come from another node
  bool must_free = false;

  Value() = default;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value();
};

/// Reads into `value`. `buffer` is the descriptor of the array that is wanted, or null for a scalar
/// of `item_bytes`, for each of its characters.
void read(const Access& access, const Descriptor* buffer, std::size_t item_bytes,
          const std::size_t* to_length, const std::size_t* from_length, Value& value);

/// The value that is to be written: an array, or the scalar at `scalar`.
struct Source {
  const Descriptor* array;
  const void* scalar;
  std::size_t scalar_bytes;
};
void write(const Access& access, const Source& source, const std::size_t* to_length,
           const std::size_t* from_length);

/// How the compiler hands over a coarray without a descriptor, to an accessor that tells whether
/// something is allocated.
enum class PresenceBase { address, address_of_pointer };
/// The value of _gfortran_caf_is_present_on_remote.
[[nodiscard]] int presence(Coarray* token, int image, int accessor, void* data,
                           std::size_t data_bytes, PresenceBase kind);

}  // namespace caf
