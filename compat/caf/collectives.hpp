#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <armature/collectives.hpp>

#include "calls.hpp"
#include "departure.hpp"
#include "descriptor.hpp"

// The common part of co_sum, co_min, co_max, co_reduce and co_broadcast.

namespace caf {

/// The argument of a collective as elements side by side: itself, where it is so in memory, or a
/// copy, which write_back() assigns to it.
class Argument {
 public:
  explicit Argument(const Descriptor& array);
  [[nodiscard]] std::byte* elements() const { return elements_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t element_bytes() const { return array_.data_type.element_bytes; }
  [[nodiscard]] const Descriptor& array() const { return array_; }
  void write_back() const;

 private:
  void copy_elements();

  const Descriptor& array_;
  std::size_t count_;
  std::unique_ptr<std::byte[]> copy_;
  std::byte* elements_;
};

/// Kinds 10 and 16 of reals take 16 bytes, and a descriptor does not tell them apart: they are
/// taken for kind 16. Throws Refusal where a number has an exponent of 0, as numbers of kind 10 do
/// in memory that was zero.
void require_no_kind_10(const Argument& argument);

/// gfortran 12 passes `errmsg=` of a fixed length by value in calls of collectives: there is no
/// address to write to. A small number takes its place, and all behind it is moved by one.
[[nodiscard]] Outcome outcome_of_collective(int* stat, char* message, std::size_t message_bytes);

/// The collectives of the current team (Fortran 2018, 16.9.46 to 16.9.50). A `result_image` of 0 is
/// all of them. `length` is the number of characters of an element, which tells their kind.
void co_broadcast(const Descriptor& array, int source_image);
void co_sum(const Descriptor& array, int result_image);
void co_min(const Descriptor& array, int result_image, int length);
void co_max(const Descriptor& array, int result_image, int length);

/// The member of the current team that an image number means. Throws Refusal.
[[nodiscard]] int member_of(const Image& me, int image_number);

/// Runs the collective of an argument. Throws Refusal where images are gone, or have passed other
/// sizes.
template <class Body>
void collective(Image& me, Body&& body) {
  try {
    body(me.current->team);
  } catch (const armature::Error& error) {
    // An image that has stopped takes part in barriers alone. One that has passed another size may
    // have stopped since, and then both are told.
    const std::string why = error.what();
    try {
      require_members(*me.current);
    } catch (const Refusal& refusal) {
      if (why.find("barrier") != std::string::npos) throw;
      refuse(std::string(refusal.what()) + ", and " + why, refusal.stat());
    }
    throw;
  }
}

/// Combines elements of all images of the current team. The result is at all of them, or at one
/// where `result_image` is not 0.
template <class T, class Operator>
void combine(std::span<T> elements, int result_image, Operator combined) {
  Image& me = image();
  const int root = result_image == 0 ? -1 : member_of(me, result_image);
  collective(me, [&](const armature::Team& team) {
    if (root < 0)
      armature::allreduce(team, elements, combined);
    else
      armature::reduce(team, elements, root, combined);
  });
}

template <class T, class Operator>
void combine(const Argument& argument, int result_image, Operator combined) {
  combine(std::span<T>(reinterpret_cast<T*>(argument.elements()), argument.count()), result_image,
          combined);
  argument.write_back();
}

/// Elements of types that C++ has not travel in the next larger one of some sizes. Behind an
/// element is its length, if there is room: images that have passed others are told.
template <std::size_t room_bytes>
class Room {
 public:
  Room() = default;
  explicit Room(std::size_t element_bytes) {
    if (element_bytes <= tail)
      std::memcpy(value_.data() + tail, &element_bytes, sizeof element_bytes);
  }
  [[nodiscard]] std::byte* element() { return value_.data(); }
  [[nodiscard]] const std::byte* element() const { return value_.data(); }
  [[nodiscard]] bool is_of(std::size_t element_bytes) const {
    std::size_t length = 0;
    std::memcpy(&length, value_.data() + tail, sizeof length);
    return element_bytes > tail || length == element_bytes;
  }

 private:
  static constexpr std::size_t tail = room_bytes - sizeof(std::size_t);
  alignas(16) std::array<std::byte, room_bytes> value_{};
};

template <std::size_t room_bytes, class Operator>
void combine_rooms(const Argument& argument, int result_image, Operator combined) {
  const std::size_t bytes = argument.element_bytes();
  using OfElement = Room<room_bytes>;
  std::vector<OfElement> rooms(argument.count(), OfElement(bytes));
  std::byte* element = argument.elements();
  for (OfElement& room : rooms) {
    std::memcpy(room.element(), element, bytes);
    element += bytes;
  }
  combine(std::span<OfElement>(rooms), result_image, [&](OfElement a, OfElement b) {
    if (!a.is_of(bytes) || !b.is_of(bytes)) return OfElement();
    OfElement result(bytes);
    combined(result.element(), a.element(), b.element());
    return result;
  });
  element = argument.elements();
  for (const OfElement& room : rooms) {
    if (!room.is_of(bytes))
      refuse("an element has " + std::to_string(bytes) +
             " bytes at this image, and another number at others");
    std::memcpy(element, room.element(), bytes);
    element += bytes;
  }
  argument.write_back();
}

inline constexpr std::size_t combined_bytes_max = 32 * 1024;

/// Combines elements of any size: combined(result, a, b) writes the result.
template <class Operator>
void combine_bytes(const Argument& argument, int result_image, Operator combined) {
  const std::size_t bytes = argument.element_bytes();
  if (bytes <= 24) return combine_rooms<32>(argument, result_image, combined);
  if (bytes <= 72) return combine_rooms<80>(argument, result_image, combined);
  if (bytes <= 264) return combine_rooms<272>(argument, result_image, combined);
  if (bytes <= 2056) return combine_rooms<2064>(argument, result_image, combined);
  if (bytes <= combined_bytes_max)
    return combine_rooms<combined_bytes_max>(argument, result_image, combined);
  refuse("elements of " + std::to_string(bytes) + " bytes are combined, and " +
         std::to_string(combined_bytes_max) + " are the most");
}

}  // namespace caf
